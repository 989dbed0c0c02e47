#include "plots/gnuplot.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmanp/error.hpp>
#include <cstdlib>
#include <sstream>

#include "files/atomic_file.hpp"
#include "files/tool.hpp"

namespace cmanp::plots {
namespace {

namespace fs = std::filesystem;

std::string terminal_of(const fs::path& picture) {
  const std::string ending = picture.extension().string();
  if (ending == ".png") return "pngcairo";
  if (ending == ".svg") return "svg";
  if (ending == ".pdf") return "pdfcairo";
  throw Error(fmt::format("{}: pictures end in .png, .svg or .pdf", picture.string()));
}

// gnuplot takes those of a PDF in inches; its letters are as large as a paper's where the picture is as wide as that.
std::string size_in(const std::string& terminal, const Size& size) {
  constexpr double kPixelsAnInch = 140;
  if (terminal != "pdfcairo") return fmt::format("{},{}", size.width, size.height);
  return fmt::format("{:.2f}in,{:.2f}in", size.width / kPixelsAnInch, size.height / kPixelsAnInch);
}

constexpr std::size_t kMostBytes = std::size_t{256} << 20;

// Whether a PNG, SVG or PDF has its end.
bool is_whole(std::string_view picture) {
  using namespace std::string_view_literals;
  while (picture.ends_with('\n')) picture.remove_suffix(1);
  return picture.ends_with("IEND\xae\x42\x60\x82"sv) || picture.ends_with("</svg>"sv) || picture.ends_with("%%EOF"sv);
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
  const std::string terminal = terminal_of(picture);
  const std::string head = fmt::format("set terminal {} size {} noenhanced background rgb 'white'\nset output\n",
                                       terminal, size_in(terminal, size));
  std::string drawn;
  try {
    drawn = files::run_filter({"gnuplot"}, head + script + "\nunset output\n", kMostBytes, "it draws all pictures");
  } catch (const Error& error) {
    throw Error(fmt::format("gnuplot could not draw {}: {}", picture.string(), error.what()));
  }
  // It ends well although it could not write.
  if (!is_whole(drawn))
    throw Error(fmt::format("gnuplot could not draw {}: the picture is cut short", picture.string()));
  files::write_file(picture, drawn);
}

}  // namespace cmanp::plots
