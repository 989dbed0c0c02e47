// cmanp events eval and baselines: how well models and classic processes predict events.
#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/exit.hpp"
#include "cli/messages.hpp"
#include "cli/numbers.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli_train/event_settings_flags.hpp"
#include "cli_train/events.hpp"
#include "cli_train/stop_request.hpp"
#include "plots/event_plot.hpp"
#include "plots/gnuplot.hpp"
#include "training/events/classic.hpp"
#include "training/events/evaluate.hpp"
#include "training/events/event_model_kind.hpp"
#include "training/events/event_run.hpp"
#include "training/events/rivals.hpp"
#include "training/trainer/threads.hpp"

namespace cmanp::cli_train {
namespace {

using nlohmann::ordered_json;
using training::events::EventParts;
using training::events::HawkesProcess;
using training::events::Rival;

struct EventEvalOptions {
  std::vector<std::string> runs;
  EventSettingsFlags settings;
  std::vector<double> truth;
  std::string part = "test", plot;
  std::size_t threads = cli::default_threads();
  bool json = false;
};

const std::vector<training::events::Sequence>& part_of(const EventParts& parts, const std::string& name) {
  const auto& part = name == "test" ? parts.test : name == "train" ? parts.train : parts.validation;
  if (part.empty()) throw Error(fmt::format("the {} part has no sequences", name));
  return part;
}

// A table, or JSON a line, and the picture of all at the end.
class Results {
 public:
  explicit Results(const EventEvalOptions& options) : options_(options) {}

  void add(const std::string& name, const events::EventMetrics& metrics, bool marked, const ordered_json& more) {
    if (curves_.empty() && !options_.json) head();
    curves_.push_back({name, metrics.transformed});
    if (!options_.json) return row(name, metrics, marked);
    ordered_json line = json_of(name, metrics, marked);
    line.update(more);
    cli::print_json(line);
  }

  // The rivals' rows, unless they stand above: other runs may be of the same data.
  void add_rivals(const std::vector<Rival>& rivals, bool marked) {
    std::vector<double> values;
    for (const Rival& rival : rivals) values.push_back(rival.metrics.nll);
    if (options_.json || values == rivals_) return;
    rivals_ = values;
    for (const Rival& rival : rivals) row(rival.name, rival.metrics, marked);
  }

  ordered_json json_of(const std::string& name, const events::EventMetrics& metrics, bool marked) const {
    ordered_json line{{"model", name}, {"part", options_.part}};
    line.update(to_json(metrics, marked));
    return line;
  }

  void conclude(const std::vector<std::string>& sentences) {
    for (const std::string& sentence : sentences) sentences_ += sentence + "\n";
  }

  void finish() {
    if (!options_.json) output_.text(sentences_);
    output_.flush();
    if (options_.plot.empty()) return;
    plots::draw(options_.plot, {600, 600}, plots::calibration_script("Calibration of the next event's time", curves_));
  }

 private:
  void row(const std::string& name, const events::EventMetrics& metrics, bool marked) {
    const auto of_marks = [&](double value, int digits) {
      return marked ? fmt::format("{:.{}f}", value, digits) : std::string("-");
    };
    output_.text(
        fmt::format("{:<24} {:>10.4f} {:>10.4f} {:>9} {:>12.4g} {:>12.4g} {:>8} {:>8} {:>6.3f} {:>6.3f} "
                    "{:>6.3f} {:>8}\n",
                    name, metrics.nll, metrics.nll_time, of_marks(metrics.nll_mark, 4), metrics.rmse,
                    metrics.rmse_public, of_marks(metrics.accuracy, 4), of_marks(metrics.top5, 4), metrics.ks,
                    metrics.coverage50, metrics.coverage90, metrics.events));
    output_.flush();
  }

  void head() {
    output_.text(fmt::format("{:<24} {:>10} {:>10} {:>9} {:>12} {:>12} {:>8} {:>8} {:>6} {:>6} {:>6} {:>8}\n", "model",
                             "NLL", "time", "mark", "RMSE", "RMSE, public", "accuracy", "top 5", "KS", "50 %", "90 %",
                             "events"));
  }

  const EventEvalOptions& options_;
  cli::Output output_;
  std::vector<plots::Calibration> curves_;
  std::vector<double> rivals_;  // NLLs of those in the table
  std::string sentences_;
};

void check_plot(const EventEvalOptions& options) {
  if (options.plot.empty()) return;
  cli::check_can_write(options.plot);
  plots::check_can_draw(options.plot);
}

void evaluate_run(const std::string& run, const EventEvalOptions& options, Results& results) {
  training::events::TrainedEvents trained = training::events::load_best(run);
  // Flags may name other data; the rest is the run's own.
  const auto settings = event_settings_from(options.settings, to_json(trained.settings));
  const EventParts parts = load_parts(settings, trained.domain.mark_names);
  events::EventMetrics metrics;
  {
    cli::ProgressBar bar("evaluating " + run, 0, "batches");
    metrics = evaluate(*trained.network, part_of(parts, options.part), trained.domain, settings.window(),
                       [&](std::size_t done, std::size_t) {
                         bar.update(done, done);
                         return stop_signal() == 0;
                       });
  }
  if (stop_signal() != 0) throw cli::Exit{128 + stop_signal()};
  const std::string& model = trained.settings.model;
  const bool marked = !trained.domain.mark_names.empty();
  const std::vector<Rival> rivals = simple_rivals(parts, part_of(parts, options.part), settings.window());
  const std::vector<std::string> sentences = verdict(model, metrics, marked, rivals);
  ordered_json beside = ordered_json::array();
  for (const Rival& rival : rivals) beside.push_back(results.json_of(rival.name, rival.metrics, marked));
  results.add(model, metrics, marked,
              {{"run", run}, {"step", trained.step}, {"rivals", beside}, {"verdict", sentences}});
  results.add_rivals(rivals, marked);
  results.conclude(sentences);
}

void run_eval(const EventEvalOptions& options) {
  check_plot(options);
  training::use_threads(static_cast<std::int64_t>(options.threads));
  note_stop_signals();
  Results results(options);
  for (const std::string& run : options.runs) evaluate_run(run, options, results);
  results.finish();
}

ordered_json parameters_of(const HawkesProcess& process) {
  ordered_json result{{"rate", process.rate}, {"kernels", ordered_json::array()}};
  for (const auto& kernel : process.kernels) {
    result["kernels"].push_back({{"jump", kernel.jump}, {"decay", kernel.decay}});
  }
  return result;
}

HawkesProcess true_process(const std::vector<double>& numbers) {
  if (numbers.size() % 2 == 0) throw Error("--truth needs a rate and then a jump and a decay for each kernel");
  HawkesProcess process{numbers[0], {}};
  for (std::size_t i = 1; i < numbers.size(); i += 2) process.kernels.push_back({numbers[i], numbers[i + 1]});
  for (const double number : numbers) {
    if (!(number > 0) || !std::isfinite(number)) throw Error("--truth: all numbers must be above zero");
  }
  return process;
}

void run_baselines(const EventEvalOptions& options) {
  check_plot(options);
  const auto settings = event_settings_from(options.settings);
  const EventParts parts = load_parts(settings);
  for (const std::string& remark : parts.remarks) cli::note(remark);
  const auto window = settings.window();
  const auto& part = part_of(parts, options.part);
  const std::vector<double> marks = training::events::count_marks(parts.train, parts.mark_names.size());
  Results results(options);
  const auto add = [&](const std::string& name, const HawkesProcess& process) {
    results.add(name, evaluate(process, marks, part, window), !marks.empty(), parameters_of(process));
  };
  for (const auto& kind : training::events::classic_kinds()) add(kind.name, kind.fit(parts.train, window));
  for (const Rival& rival : simple_rivals(parts, part, window)) {
    if (rival.name != "poisson") results.add(rival.name, rival.metrics, !marks.empty(), ordered_json::object());
  }
  if (!options.truth.empty()) add("truth", true_process(options.truth));
  results.finish();
}

void add_common(CLI::App* verb, EventEvalOptions& options) {
  verb->add_option("--part", options.part, "Which part of the data")
      ->check(CLI::IsMember({"test", "validation", "train"}))
      ->capture_default_str();
  verb->add_option("--plot", options.plot, "Draw the calibration of the time as a picture, .png, .svg or .pdf")
      ->type_name("FILE");
  cli::add_json(verb, options.json);
  add_event_settings_flags(verb, options.settings);
}

}  // namespace

void add_events_eval(CLI::App& events) {
  auto options = std::make_shared<EventEvalOptions>();
  CLI::App* verb = cli::add_verb(
      events, "eval", "Likelihood, errors, accuracy and calibration of trained models",
      "cmanp events eval runs/cmhp runs/thp --plot calibration.png\n"
      "NLL is per event, in the data's unit of time. RMSE is that of the predicted mean gap; `public` is how the\n"
      "public code of Meta-TPP computes it: errors are summed over a sequence before they are squared. Beside the\n"
      "models stand simple rivals, fitted to the same training part, as `cmanp events baselines` has them.");
  verb->add_option("run", options->runs, "Folders of runs")->required()->type_name("RUN");
  add_common(verb, *options);
  verb->callback([options] { run_eval(*options); });
}

void add_events_baselines(CLI::App& events) {
  auto options = std::make_shared<EventEvalOptions>();
  CLI::App* verb = cli::add_verb(
      events, "baselines",
      "Evaluates classic processes, fitted by maximum likelihood: Poisson, exponential Hawkes, renewal, Markov renewal",
      "cmanp events baselines --data hawkes.txt --window-from 0 --window-to 100 --truth 0.2 0.8 1\n"
      "Poisson and Hawkes predict marks by how often they came in training; renewal by that and the last one again;\n"
      "markov by what came after the last one, as it does the gaps.");
  verb->add_option("--truth", options->truth,
                   "The true process, where it is known: its rate, then a jump and a decay for each kernel")
      ->check(cli::finite_number())
      ->type_name("NUMBERS");
  add_common(verb, *options);
  verb->callback([options] { run_baselines(*options); });
}

}  // namespace cmanp::cli_train
