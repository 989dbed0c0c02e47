#include "cli/stream_flags.hpp"

#include <fmt/format.h>

#include "cli/messages.hpp"
#include "cli/numbers.hpp"
#include "cli/options.hpp"
#include "cli/state_lock.hpp"

namespace cmanp::cli {

void add_stream_flags(CLI::App* verb, StreamFlags& flags, const std::string& whose) {
  CLI::Option* state = verb->add_option("--state,-s", flags.state,
                                        fmt::format("Keep {} in this file: taken up if it is there, replaced every so "
                                                    "often and at the end, on SIGINT, SIGTERM and SIGHUP too",
                                                    whose))
                           ->type_name("FILE");
  verb->add_option("--save-every", flags.save_every,
                   "Seconds between two savings of what changed; 0: what is answered has been saved")
      ->check(number_between(0.0, 1e6))
      ->capture_default_str()
      ->needs(state)
      ->type_name("SECONDS");
  add_wait(verb, flags.wait)->needs(state);
  verb->add_flag("--skip-bad", flags.skip_bad, "Warn of a bad row and go on, instead of ending there");
}

streams::SessionOptions session_options(const StreamFlags& flags, const std::string& model) {
  streams::SessionOptions options;
  options.skip_bad = flags.skip_bad;
  options.warn = warn;
  if (flags.state.empty()) return options;
  check_output(flags.state, {model});
  options.saving = {flags.state, flags.save_every, wait_or_refuse(flags.state, flags.wait)};
  return options;
}

}  // namespace cmanp::cli
