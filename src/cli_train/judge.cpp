// cmanp judge: a model of tables on the part that it was not trained on, beside simple rivals on the same windows.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cmanp/error.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/parallel.hpp"
#include "cli/model_files.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/table_forecasts.hpp"
#include "cli_train/table_model.hpp"
#include "cli_train/verbs.hpp"
#include "files/atomic_file.hpp"
#include "forecasts/in_frames.hpp"
#include "forecasts/report.hpp"
#include "forecasts/row_rivals.hpp"
#include "training/evaluation/window_predictor.hpp"
#include "training/trainer/threads.hpp"

namespace cmanp::cli_train {
namespace {

using nlohmann::ordered_json;

struct JudgeOptions {
  std::string model, report, rivals;
  std::vector<std::string> others;  // who answer together with it
  // About the table, of a model that was not trained on one; of any other it is known.
  std::string data, group, x, y, season;
  std::int64_t horizon = 0, window = 0;
  std::string part = "test";
  bool last_weights = false;
  std::size_t threads = cli::default_threads();
  bool json = false;
};

// Whoever is judged, and how it knows the table.
struct Judged {
  std::string name;
  training::TableKeys keys;
  std::int64_t step = 0, last_step = 0;  // of its weights, and of its training; 0: not known
  TableWidths widths = {};
  bool widened = false;  // deviations, too
  std::function<std::vector<forecasts::Forecast>(const std::vector<data::Window>&, const forecasts::Progress&)> answer;
};

// Along x; 0: none.
double shortest_season(const training::TableKeys& keys) {
  const std::vector<double> seasons = training::seasons_of(keys);
  return seasons.empty() ? 0 : seasons.front() * keys.step;
}

// By what the flags say, and by looking at the table where they do not.
Judged judged_in_frames(const JudgeOptions& options) {
  cli::check_no_others(options.model, options.others);
  if (options.data.empty()) throw Error(fmt::format("{}: on which table? (--data)", options.model));
  ordered_json document{{"task", "table"}, {"data", options.data}};
  for (const auto& [key, value] :
       {std::pair{"group", options.group}, {"x", options.x}, {"y", options.y}, {"season", options.season}}) {
    if (!value.empty()) document[key] = value;
  }
  if (options.horizon > 0) document["horizon"] = options.horizon;
  document["window"] = options.window > 0 ? options.window : cli::kFramedWindow;
  const training::TableKeys keys = training::table_keys_of(training::parse_settings(document, ""));
  const Model model = Model::load(options.model);
  const forecasts::FramedOptions framed{keys.step, shortest_season(keys), options.threads, options.season != "none"};
  return {std::filesystem::path(options.model).stem().string(),
          keys,
          0,
          0,
          {{}, model.config().band_scales},
          false,
          [model, framed](const auto& windows, const auto& progress) {
            return forecasts::answer_in_frames(model, windows, framed, progress);
          }};
}

Judged judged_by_training(const JudgeOptions& options) {
  for (const auto& [flag, given] : {std::pair{"--group", !options.group.empty()},
                                    {"--x", !options.x.empty()},
                                    {"--y", !options.y.empty()},
                                    {"--season", !options.season.empty()},
                                    {"--horizon", options.horizon > 0},
                                    {"--window", options.window > 0}}) {
    if (given) throw Error(fmt::format("{}: {} was trained on a table, and knows it", flag, options.model));
  }
  const TableModel table = load_table_model(options.model, options.others, options.last_weights);
  training::TableKeys keys = table.keys;
  if (!options.data.empty()) keys.data = options.data;
  if (keys.data.empty())
    throw Error(fmt::format("{}: a model file does not know its data; name them by --data", options.model));
  const std::string name = table.others.empty() ? table.name : fmt::format("{} together", 1 + table.others.size());
  return {name,
          keys,
          table.step,
          table.last_step,
          table.widths,
          true,
          [table, units = training::table_units(keys)](const auto& windows, const auto& progress) {
            return table.answer(windows, units, progress);
          }};
}

std::string about_parts(const training::TableKeys& keys) {
  if (training::is_rows(keys)) {
    return fmt::format(
        "{:g} % of the {} are the test, as many validation. No row that the test asks for was in a task "
        "that was trained on.",
        100 * keys.test_share, keys.parts == "group" ? "groups" : "rows");
  }
  const auto windows = [](std::int64_t count) { return count == 1 ? "window" : fmt::format("{} windows", count); };
  const std::string ends = fmt::format("the last {} of each series are the test, the {} before validation",
                                       windows(keys.test_windows), windows(keys.validation_windows));
  const std::string groups =
      fmt::format("{:g} % of the groups are the test, as many validation", 100 * keys.test_share);
  const std::string apart = keys.parts == "time"    ? ends
                            : keys.parts == "group" ? groups
                                                    : groups + "; of these, " + ends;
  return apart + ". No value that the test asks for was in a window that was trained on.";
}

std::string about_window(const training::TableKeys& keys, const data::Calendar& calendar) {
  if (training::is_rows(keys)) return fmt::format("{} rows at most, some given, others asked for", keys.window);
  const std::string asked = keys.split == "forecast" ? "to forecast"
                            : keys.split == "gaps"   ? "of a gap"
                            : keys.split == "mix"    ? "to forecast, of a gap or anywhere"
                                                     : "anywhere";
  return fmt::format("{} steps of {} as context, {} steps {}", keys.window, calendar.shown_step(keys.step),
                     keys.horizon, asked);
}

forecasts::Judgement judge(const JudgeOptions& options, const Judged& judged, const data::Windows& all,
                           const std::vector<data::Window>& windows) {
  const training::TableKeys& keys = judged.keys;
  const double season = shortest_season(keys);
  const bool rows = training::is_rows(keys);
  const std::vector<forecasts::Rival> rivals =
      forecasts::chosen(rows ? forecasts::row_rivals() : forecasts::rivals(keys.step, season), options.rivals);
  forecasts::Judgement judgement;
  judgement.title = fmt::format("{} on {}", judged.name, std::filesystem::path(keys.data).filename().string());
  judgement.windows = &windows;
  judgement.step = keys.step;
  judgement.calendar = all.set().calendar;
  judgement.x_name = keys.x;
  judgement.rows = rows;
  judgement.facts = {{"columns", fmt::format("group {}; x {}; y {}{}", keys.group.empty() ? "none" : keys.group, keys.x,
                                             keys.y, training::is_joint(keys) ? ", jointly" : "")},
                     {"series", judged.last_step > 0 ? fmt::format("{}, of which {} are trained on",
                                                                   all.set().series.size(), all.trained_on())
                                                     : fmt::format("{}", all.set().series.size())},
                     {"windows judged", fmt::format("{}, part {}", windows.size(), keys.part)},
                     {"a window", about_window(keys, all.set().calendar)},
                     {"parts", about_parts(keys)}};
  if (judged.last_step > 0) {
    const bool last = judged.step == judged.last_step;
    judgement.facts.emplace_back("training", last ? fmt::format("{} steps", judged.step)
                                                  : fmt::format("{} steps of {}, the best on the validation part",
                                                                judged.step, judged.last_step));
  }
  if (judged.widths.band_scales != measures::kPlainBands) {
    judgement.facts.emplace_back(
        "bands",
        fmt::format("of 50, 90 and 95 %: {:.3g} times as wide as the model says, so that they hold their shares "
                    "on the validation part{}",
                    fmt::join(judged.widths.band_scales, ", "),
                    judged.widened ? fmt::format("; deviations {:.3g} times", judged.widths.of_deviations()) : ""));
  }
  if (!judged.widths.of_series.empty()) {
    const auto [least, most] = std::minmax_element(judged.widths.of_series.begin(), judged.widths.of_series.end(),
                                                   [](const auto& a, const auto& b) { return a.second < b.second; });
    judgement.facts.emplace_back(
        "deviations",
        fmt::format("of each series times a factor by its errors on the validation part, {:.3g} to {:.3g}",
                    least->second, most->second));
  }
  {
    cli::ProgressBar bar("the model answers", windows.size(), "windows");
    judgement.contenders.push_back(forecasts::contender(
        judged.name, "the model", judged.answer(windows, [&](std::size_t done) { bar.update(done, done); }), windows,
        keys.step, season));
  }
  for (const forecasts::Rival& rival : rivals) {
    std::vector<forecasts::Forecast> answers(windows.size());
    cli::ProgressBar bar(rival.name + " answers", windows.size(), "windows");
    std::atomic<std::size_t> done = 0;
    base::for_each_index(windows.size(), options.threads, [&](std::size_t i) {
      answers[i] = rival.answer(windows[i]);
      const std::size_t now = ++done;
      bar.update(now, now);
    });
    judgement.contenders.push_back(
        forecasts::contender(rival.name, rival.what, std::move(answers), windows, keys.step, season));
  }
  return judgement;
}

ordered_json to_json(const forecasts::Judgement& judgement) {
  ordered_json who = ordered_json::object();
  for (const forecasts::Contender& one : judgement.contenders) {
    ordered_json measures = ordered_json::object();
    const std::vector<double> mean = values_of(one.summary.mean), error = values_of(one.summary.standard_error);
    for (std::size_t i = 0; i < mean.size(); ++i) {
      measures[forecasts::score_names()[i]] = {{"value", mean[i]}, {"standard_error", error[i]}};
    }
    who[&one == &judgement.contenders.front() ? "model" : one.name] = measures;
  }
  return {{"windows", judgement.windows->size()}, {"measures", who}, {"verdict", verdict(judgement)}};
}

void print_text(const forecasts::Judgement& judgement) {
  cli::Output output;
  for (const auto& [name, fact] : judgement.facts) output.text(fmt::format("{:<15} {}\n", name, fact));
  output.text(fmt::format("\n{:<12}", ""));
  for (const std::string& name : forecasts::score_names()) output.text(fmt::format(" {:>14}", name));
  output.text("\n");
  for (const forecasts::Contender& one : judgement.contenders) {
    output.text(fmt::format("{:<12}", one.name));
    for (const double value : values_of(one.summary.mean)) output.text(fmt::format(" {:>14.4g}", value));
    output.text("\n");
  }
  output.text(fmt::format("{:<12}", "± (model)"));
  for (const double value : values_of(judgement.contenders.front().summary.standard_error)) {
    output.text(fmt::format(" {:>14.2g}", value));
  }
  output.text("\n\n");
  for (const std::string& sentence : verdict(judgement)) output.text(sentence + "\n");
  output.flush();
}

void run(const JudgeOptions& options) {
  training::use_threads(static_cast<std::int64_t>(options.threads));
  const bool is_run = std::filesystem::is_directory(options.model);
  Judged judged = cli::works_in_frames(options.model) ? judged_in_frames(options) : judged_by_training(options);
  training::TableKeys& keys = judged.keys;
  keys.part = options.part;
  std::string report = options.report;
  if (report.empty() && is_run) report = (std::filesystem::path(options.model) / "judge.html").string();
  if (!report.empty()) cli::check_can_write(report);
  const data::Windows all(training::read_series(keys), training::plan_of(keys));
  const std::vector<data::Window> windows = all.all(keys.part == "test" ? data::Part::test : data::Part::validation);
  if (windows.empty()) throw Error("no window to judge by: part " + keys.part);
  const forecasts::Judgement judgement = judge(options, judged, all, windows);
  if (!report.empty()) {
    files::write_file(report, html_of(judgement));
    cli::note(fmt::format("report in {}", report));
  }
  if (options.json) {
    cli::print_json(to_json(judgement));
  } else {
    print_text(judgement);
  }
}

}  // namespace

void add_judge(CLI::App& app) {
  auto options = std::make_shared<JudgeOptions>();
  CLI::App* verb = cli::add_verb(app, "judge", "A model of tables beside simple rivals, on data it was not trained on",
                                 "cmanp judge runs/stations && xdg-open runs/stations/judge.html\n"
                                 "cmanp judge universal --data stations.csv --horizon 48 --season 24");
  verb->add_option("model,--model,-m", options->model,
                   "A run's folder, a model file, or the name of a model that is installed")
      ->required()
      ->transform(cli::model_by_name())
      ->type_name("RUN|FILE");
  cli::add_others(verb, options->others);
  verb->add_option("--data", options->data, "The table (default: the run's own)")->type_name("FILE");
  verb->add_option("--part", options->part, "Which part: test, or validation")
      ->check(CLI::IsMember({"test", "validation"}))
      ->capture_default_str();
  const auto of_table = [&](const char* flag, auto& value, const char* what) {
    return verb->add_option(flag, value, what)->group("Of a model that was not trained on a table");
  };
  of_table("--group", options->group, "The column that tells series apart")->type_name("NAME");
  of_table("--x", options->x, "The column along which values lie")->type_name("NAME");
  of_table("--y", options->y, "The columns of values, with commas between")->type_name("NAME");
  of_table(
      "--season", options->season,
      "Steps after which things come again; of several, with commas between, the shortest counts; none: it has none")
      ->check(cli::are_seasons())
      ->type_name("N");
  const CLI::Range steps(std::int64_t{1}, std::int64_t{1000000});
  of_table("--horizon", options->horizon, "Steps to forecast")->check(steps)->type_name("N");
  of_table("--window", options->window, "Steps before them to go by")->check(steps)->type_name("N");
  verb->add_option("--report", options->report, "The page to write (default: judge.html in the run's folder)")
      ->type_name("FILE");
  verb->add_option(
          "--rivals", options->rivals,
          "Which rivals, with commas between: last value, last season, linear, climatology, smoother, gp; with several "
          "x mean, nearest, regression; or none (default: all)")
      ->type_name("NAME");
  verb->add_flag("--last-weights", options->last_weights,
                 "Those of the last step as they are: neither averaged nor kept as the best");
  cli::add_threads(verb, options->threads);
  cli::add_json(verb, options->json);
  verb->callback([options] { run(*options); });
}

}  // namespace cmanp::cli_train
