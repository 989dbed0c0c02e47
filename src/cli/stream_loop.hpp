// A session between standard input and standard output, with the signals that end it. A reader that does not read
// keeps nothing from being saved: neither every so often, nor when a signal asks to stop.
#pragma once

#include "cli/output.hpp"
#include "streams/line_session.hpp"

namespace cmanp::cli {

// Until the input or a signal ends it. The session's answers go to `output`, which is flushed by hand, here.
void run_session(streams::LineSession& session, Output& output);

}  // namespace cmanp::cli
