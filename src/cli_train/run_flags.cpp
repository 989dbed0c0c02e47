#include "cli_train/run_flags.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <csignal>
#include <filesystem>

#include "cli/exit.hpp"
#include "cli/numbers.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli_train/stop_request.hpp"
#include "runs/settings_file.hpp"

namespace cmanp::cli_train {

void add_run_flags(CLI::App* verb, RunFlags& flags) {
  verb->add_option("--out,-o", flags.out, "The run's folder: settings, metrics, learning curve, checkpoints")
      ->required()
      ->type_name("FOLDER");
  verb->add_option("--minutes", flags.minutes,
                   "Instead of --steps: as many as fit, by a timing at the start, in time of the processor. The run "
                   "knows their number alone, so "
                   "that it can be repeated; evaluations come on top")
      ->check(cli::number_between(0.001, 1e6))
      ->type_name("MINUTES");
  CLI::Option* resume =
      verb->add_flag("--resume", flags.resume,
                     "Go on with the run in the folder. With other --steps it becomes longer: a cosine then goes on as "
                     "that of so many steps, so that the learning rate of a finished run rises again first; what steps "
                     "was before stays in the settings as `extended`");
  verb->add_flag("--resume-or-start", flags.resume_or_start, "The same, or start one where there is none: for scripts")
      ->excludes(resume);
  cli::add_json(verb, flags.json);
}

bool resumes(const RunFlags& flags) {
  if (!flags.resume && !flags.resume_or_start) return false;
  if (runs::holds_run(flags.out)) return true;
  if (!flags.resume) return false;
  throw Error(
      fmt::format("{}: holds no run to resume; start one without --resume, or by --resume-or-start", flags.out));
}

nlohmann::ordered_json saved_settings(const RunFlags& flags) {
  if (!resumes(flags)) return nlohmann::ordered_json::object();
  return runs::read_settings_file(std::filesystem::path(flags.out) / runs::kSettingsFile);
}

runs::Opening opening(const RunFlags& flags, const std::map<std::string, std::string>& values) {
  const runs::Resume resume = flags.resume            ? runs::Resume::yes
                              : flags.resume_or_start ? runs::Resume::if_there
                                                      : runs::Resume::no;
  return {resume, values.contains("steps")};
}

runs::Progress go_with_bar(runs::Run& run, const RunFlags& flags, std::int64_t steps, bool first) {
  const std::int64_t begin = run.progress().step;
  const auto total = static_cast<std::uint64_t>(steps - begin);
  note_stop_signals();
  {
    cli::ProgressBar bar("training", total, "steps");
    runs::Calls calls;
    calls.stepped = [&](const runs::Progress& progress) {
      const auto done = static_cast<std::uint64_t>(progress.step - begin);
      std::string remark = fmt::format(", loss {:.4f}", progress.loss);
      if (progress.log_likelihood) remark += fmt::format(", log-likelihood {:.4f}", *progress.log_likelihood);
      bar.update(done, done, remark);
    };
    calls.should_stop = [] { return stop_signal() != 0; };
    calls.note = cli::note;
    run.go(calls);
  }
  const runs::Progress& progress = run.progress();
  if (run.finished()) {
    if (first && progress.step < steps) {
      cli::note(fmt::format("ended at step {} of {}: nothing was gained by {} evaluations", progress.step, steps,
                            progress.without_gain));
    }
    return progress;
  }
  if (first) {
    cli::note(fmt::format("stopped and saved at step {} of {}; go on with `cmanp {} --resume --out {}`", progress.step,
                          steps, flags.verb, flags.out));
  }
  throw cli::Exit{128 + (stop_signal() != 0 ? stop_signal() : SIGTERM)};  // or another process's signal
}

}  // namespace cmanp::cli_train
