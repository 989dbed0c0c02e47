// Pictures by gnuplot, a program that is started where it is installed and not needed for anything else.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace cmanp::plots {

bool can_draw();

// Fails before any work is done where draw() would: throws Error without gnuplot, and for another ending.
void check_can_draw(const std::filesystem::path& picture);

// Text as gnuplot's own, whatever is in it.
std::string in_quotes(std::string_view text);

struct Size {
  int width = 900, height = 450;  // pixels
};

// Runs a script and puts its picture, PNG, SVG or PDF by the name's end, in place once it is whole. Throws Error: no
// gnuplot, another ending, a script that gnuplot refuses, no permission.
void draw(const std::filesystem::path& picture, const Size& size, const std::string& script);

}  // namespace cmanp::plots
