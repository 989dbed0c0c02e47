// What is said on standard error. Saying it never fails and never throws: where nobody can hear it, the work goes on.
#pragma once

#include <string>
#include <string_view>

namespace cmanp::cli {

// The text as it is. Waits for a reader that is slow, until the program is asked to stop.
void say(std::string_view text) noexcept;

// "cmanp: …", "cmanp: note: …", "cmanp: warning: …", "cmanp: error: …", a line each. On a terminal the word that says
// which has a colour, unless NO_COLOR is set or TERM is "dumb".
void tell(const std::string& text);
void note(const std::string& text);
void warn(const std::string& text);
void say_error(const std::string& text);

}  // namespace cmanp::cli
