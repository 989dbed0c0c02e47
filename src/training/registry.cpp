#include "training/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/suggest.hpp"
#include "files/quote.hpp"

namespace cmanp::training {

std::string did_you_mean(const std::string& name, const std::vector<std::string>& known) {
  const std::string near = base::nearest(name, known);
  return near.empty() ? "" : fmt::format("; did you mean {}?", near);
}

void refuse_name(const std::string& what, const std::string& name, const std::vector<std::string>& known) {
  const std::string near = did_you_mean(name, known);
  throw Error(fmt::format("unknown {} {}{}{}here are {}", what, files::quote(name), near, near.empty() ? "; t" : " T",
                          fmt::join(known, ", ")));
}

}  // namespace cmanp::training
