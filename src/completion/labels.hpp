// Short words on a picture, in a small fixed font of its own: lower-case letters, digits and a few signs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "images/image.hpp"

namespace cmanp::completion {

using Colour = std::array<std::uint8_t, 3>;

constexpr std::size_t kLabelHeight = 16;
constexpr std::size_t kLetterWidth = 12;  // with the space behind it

constexpr std::size_t label_width(std::string_view text) { return text.size() * kLetterWidth; }

// On a picture of 3 channels; what does not fit on it, or is not in the font, is left out.
void write_label(images::Image& canvas, std::size_t top, std::size_t left, std::string_view text, Colour colour);

}  // namespace cmanp::completion
