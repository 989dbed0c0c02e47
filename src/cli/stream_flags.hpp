// The flags by which a stream keeps its state, and what a session is told by them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "streams/line_session.hpp"

namespace cmanp::cli {

struct StreamFlags {
  std::string state;       // none: nothing is saved
  double save_every = 60;  // seconds
  bool wait = false;
  bool skip_bad = false;
};

// --state, --save-every, --wait and --skip-bad; `whose` names what is kept.
void add_stream_flags(CLI::App* verb, StreamFlags& flags, const std::string& whose);

// Fails now where the state can not be written, or is the model itself.
streams::SessionOptions session_options(const StreamFlags& flags, const std::string& model);

}  // namespace cmanp::cli
