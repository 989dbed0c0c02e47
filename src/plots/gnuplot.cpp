#include "plots/gnuplot.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmanp/error.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <system_error>

namespace cmanp::plots {
namespace {

namespace fs = std::filesystem;

std::string terminal_of(const fs::path& picture) {
  const std::string ending = picture.extension().string();
  if (ending == ".png") return "pngcairo";
  if (ending == ".svg") return "svg";
  throw Error(fmt::format("{}: pictures end in .png or .svg", picture.string()));
}

}  // namespace

bool can_draw() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access((fs::path(folder) / "gnuplot").c_str(), X_OK) == 0) return true;
  }
  return false;
}

void check_can_draw(const fs::path& picture) {
  terminal_of(picture);
  if (!can_draw()) throw Error("gnuplot is not installed (Debian: gnuplot-nox), and draws all pictures");
}

std::string in_quotes(std::string_view text) {
  // In single quotes, gnuplot reads nothing but the quote itself, doubled, and the end of the line.
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("''") : std::string(1, c == '\n' ? ' ' : c);
  return result + "'";
}

void draw(const fs::path& picture, const Size& size, const std::string& script) {
  check_can_draw(picture);
  const fs::path aside = picture.string() + ".unfinished";
  std::unique_ptr<FILE, int (*)(FILE*)> gnuplot(::popen("gnuplot 2> /dev/null", "w"),
                                                ::pclose);  // it warns of curves of one point
  if (!gnuplot) throw Error("cannot start gnuplot");
  const std::string head = fmt::format("set terminal {} size {},{} noenhanced background rgb 'white'\nset output {}\n",
                                       terminal_of(picture), size.width, size.height, in_quotes(aside.string()));
  std::fputs((head + script).c_str(), gnuplot.get());
  std::error_code error;
  if (::pclose(gnuplot.release()) != 0) {
    fs::remove(aside, error);
    throw Error(fmt::format("gnuplot could not draw {}", picture.string()));
  }
  fs::rename(aside, picture, error);
  if (error) throw Error(fmt::format("cannot write {}: {}", picture.string(), error.message()));
}

}  // namespace cmanp::plots
