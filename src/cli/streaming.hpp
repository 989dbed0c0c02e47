// cmanp stream, of either program: its flags, and what it prints. Each program brings the session.
#pragma once

#include <CLI/CLI.hpp>
#include <cmanp/config.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cli/given.hpp"
#include "cli/options.hpp"
#include "cli/stream_flags.hpp"
#include "streams/point_session.hpp"

namespace cmanp::cli {

struct StreamOptions {
  std::string model;
  StreamFlags flags;
  tables::Reading reading;
  FrameFlags frame;
  std::size_t warm_up = ContextOptions{}.warm_up;
  std::optional<std::size_t> window;  // else as the state has it, or by the model
  bool ahead = false;
  bool unusual = false;  // and ahead
  bool strict = false;
  RangeFlags places;
  std::size_t threads = 1;
  bool json = false;
};

void add_stream_verb(CLI::App& app, const std::function<void(const StreamOptions&)>& run);

streams::SessionOptions session_options(const StreamOptions& options);

using OpenSession = std::function<std::unique_ptr<streams::PointSession>(streams::PointSession::Answers)>;

// From standard input to standard output. `units`: from the data to what the network sees, a frame aside.
void answer_stream(const StreamOptions& options, const Config& config, const Normalisation& units,
                   const OpenSession& open);

}  // namespace cmanp::cli
