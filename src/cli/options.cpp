#include "cli/options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmanp/error.hpp>
#include <cmath>
#include <map>
#include <system_error>

#include "base/parallel.hpp"
#include "cli/model_files.hpp"
#include "files/quote.hpp"

namespace cmanp::cli {

CLI::App* add_verb(CLI::App& app, const std::string& name, const std::string& description, const std::string& example) {
  CLI::App* verb = app.add_subcommand(name, description);
  verb->group("Verbs");
  verb->footer("Example:\n  " + example);
  return verb;
}

CLI::Option* add_model(CLI::App* verb, std::string& path) {
  return verb->add_option("--model,-m", path, "The model: a file, or the name of one that is installed")
      ->transform(model_by_name())
      ->type_name("FILE");
}

CLI::Option* add_json(CLI::App* verb, bool& json) {
  return verb->add_flag("--json", json, "JSON on standard output: an object a line, a line a result");
}

CLI::Option* add_threads(CLI::App* verb, std::size_t& threads) {
  return verb->add_option("--threads,-t", threads, "Threads to compute with; the answer is the same with any number")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1024}))
      ->capture_default_str()
      ->type_name("N");
}

CLI::Option* add_block(CLI::App* verb, std::size_t& block, const std::string& description) {
  return verb->add_option("--block,-b", block, description)
      ->check(CLI::Range(std::size_t{1}, std::size_t{65536}))
      ->type_name("N");
}

Range parse_range(const std::string& text) {
  const auto fail = [&] {
    throw CLI::ValidationError("--range", fmt::format("{} is no range; two numbers, the first below the second, as in "
                                                      "-2:2, and a comma between several x, as in 0:1,-5:5",
                                                      files::quote(text)));
  };
  Range range;
  for (const std::string& part : CLI::detail::split(text, ',')) {
    const std::vector<std::string> ends = CLI::detail::split(part, ':');
    double low = 0, high = 0;
    const bool numbers = ends.size() == 2 && CLI::detail::lexical_cast(ends[0], low) &&
                         CLI::detail::lexical_cast(ends[1], high) && std::isfinite(low) && std::isfinite(high);
    if (!numbers || !(low < high)) fail();
    range.low.push_back(low);
    range.high.push_back(high);
  }
  if (range.empty() || text.ends_with(',')) fail();
  return range;
}

CLI::Option* add_range(CLI::App* verb, Range& range) {
  return verb
      ->add_option_function<std::string>(
          "--range", [&range](const std::string& text) { range = parse_range(text); },
          "Where x lies, for models in relative coordinates: LOW:HIGH, with a comma between several x (default: the "
          "state's, or the model's own)")
      ->type_name("RANGE");
}

void add_range_flags(CLI::App* verb, RangeFlags& flags) {
  add_range(verb, flags.range);
  verb->add_option("--outside", flags.outside, "Observations outside of the range: refuse them, or warn and take them")
      ->transform(
          CLI::CheckedTransformer(std::map<std::string, Outside>{{"refuse", Outside::refuse}, {"warn", Outside::take}})
              .description("{refuse,warn}"))
      ->default_str("refuse");
}

std::size_t default_threads() { return base::machine_threads(); }

void check_can_write(const std::filesystem::path& path) {
  std::error_code ignored;
  if (path.empty()) throw Error("the name of a file to write is empty");
  if (std::filesystem::is_directory(path, ignored)) throw Error(fmt::format("{}: is a folder", path.string()));
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    throw Error(fmt::format("{}: can not write into folder {}: {}", path.string(), folder.string(),
                            std::generic_category().message(errno)));
  }
}

void check_output(const std::filesystem::path& output, const std::vector<std::string>& inputs) {
  check_can_write(output);
  for (const std::string& input : inputs) {
    std::error_code not_there;  // then they are not the same
    if (input.empty() || input == "-" || !std::filesystem::equivalent(output, input, not_there)) continue;
    const std::string also = output == input ? "" : fmt::format(" (as {})", input);
    throw Error(
        fmt::format("{}: is read as well{}, and would be replaced; name another file to write", output.string(), also));
  }
}

}  // namespace cmanp::cli
