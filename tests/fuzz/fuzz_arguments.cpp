// Any words behind the program's name: they parse, or there are words for what is wrong. No verb runs.
#include <algorithm>
#include <cmanp/error.hpp>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "cli/verbs.hpp"

namespace {

using namespace cmanp;

// One a line; the system ends each at its first zero.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find('\n'));
    words.emplace_back(word.substr(0, word.find('\0')));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  return words;
}

struct Parsed {};

void parse(const cli::Program& program, const std::vector<std::string>& words) {
  CLI::App app;
  cli::set_up(app, program);
  app.parse_complete_callback([] { throw Parsed{}; });  // before any verb runs
  if (words.size() > 2 && words[0] == "help" && words[1] == "--complete") {
    cli::completions(app, {words.begin() + 2, words.end()}, program.other_verbs);
    return;
  }
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const Parsed&) {
  } catch (const CLI::CallForHelp&) {
    if (app.help().empty()) std::abort();
  } catch (const CLI::CallForVersion&) {
  } catch (const CLI::ParseError& error) {
    if (cli::usage_message(program, app, error).empty()) std::abort();
  } catch (const Error&) {
  } catch (const cli::HandOver&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const cli::Program program = cli::lean_program();
  parse(program, words_of({reinterpret_cast<const char*>(bytes), size}));
  return 0;
}
