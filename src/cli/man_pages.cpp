#include "cli/man_pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmanp/error.hpp>
#include <fstream>
#include <sstream>

#include "cli/help.hpp"

namespace cmanp::cli {
namespace {

// roff takes a backslash for an escape, a leading dot or quote for a request, and a hyphen for a place to break.
std::string roff(const std::string& text) {
  std::string escaped;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) escaped += "\\&";
    escaped += c == '\\' ? std::string("\\e") : c == '-' ? std::string("\\-") : std::string(1, c);
    line_begins = c == '\n';
  }
  return escaped;
}

// "cmanp-events-stream"
std::string page_name(const CLI::App& verb) {
  std::string name = command_of(verb);
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string options_of(const CLI::App& verb, bool positional) {
  std::string text;
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_positional() != positional || option->get_group().empty()) continue;
    const OptionText described = describe(*option);
    text += fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(described.names),
                        described.value.empty() ? "" : fmt::format(" \\fI{}\\fR", roff(described.value)),
                        roff(described.description));
  }
  return text;
}

// What ends a verb's help: an example, indented, and prose below.
std::string footer_of(const CLI::App& verb) {
  std::string text;
  std::istringstream lines(verb.get_footer());
  for (std::string line; std::getline(lines, line);) {
    if (line == "Example:") {
      text += ".SH EXAMPLE\n";
    } else if (line.starts_with("  ")) {
      text += fmt::format(".nf\n.RS\n{}\n.RE\n.fi\n", roff(line.substr(2)));
    } else {
      text += roff(line) + "\n";
    }
  }
  return text.starts_with(".SH") || text.empty() ? text : ".SH NOTES\n" + text;
}

std::string synopsis_of(const CLI::App& verb) {
  std::string text = fmt::format("\\fB{}\\fR [\\fIOPTIONS\\fR]", roff(command_of(verb)));
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_positional()) text += fmt::format(" \\fI{}\\fR", roff(describe(*option).names));
  }
  return text + (verbs_of(verb).empty() ? "" : " \\fIVERB\\fR");
}

void write_below(const CLI::App& verb, const std::filesystem::path& folder) {
  const std::string page = man_page(verb);
  const std::filesystem::path path = folder / (page_name(verb) + ".1");
  std::ofstream file(path, std::ios::binary);
  file << page << std::flush;
  if (!file) throw Error(fmt::format("cannot write {}", path.string()));
  for (const CLI::App* below : verbs_of(verb)) write_below(*below, folder);
}

}  // namespace

std::string man_page(const CLI::App& verb) {
  const std::string name = page_name(verb);
  std::string title = name;
  std::transform(title.begin(), title.end(), title.begin(), [](unsigned char c) { return std::toupper(c); });
  std::string page = fmt::format(".TH {} 1 \"\" \"cmanp {}\" \"User Commands\"\n", roff(title), CMANP_VERSION);
  page += fmt::format(".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}\n", roff(name), roff(verb.get_description()),
                      synopsis_of(verb));
  if (const std::string arguments = options_of(verb, true); !arguments.empty()) page += ".SH ARGUMENTS\n" + arguments;
  page += ".SH OPTIONS\n" + options_of(verb, false);
  if (!verbs_of(verb).empty()) page += ".SH VERBS\n";
  for (const CLI::App* below : verbs_of(verb)) {
    page += fmt::format(".TP\n\\fB{}\\fR(1)\n{}\n", roff(page_name(*below)), roff(below->get_description()));
  }
  page += footer_of(verb);
  page +=
      ".SH EXIT STATUS\n0: done; 1: bad input or failure; 2: bad usage. Data goes to standard output, and only that;\n"
      "notes, progress and errors to standard error.\n";
  if (verb.get_parent() != nullptr)
    page += fmt::format(".SH SEE ALSO\n\\fB{}\\fR(1)\n", roff(page_name(*verb.get_parent())));
  return page;
}

void write_man_pages(const CLI::App& app, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  write_below(app, folder);
}

}  // namespace cmanp::cli
