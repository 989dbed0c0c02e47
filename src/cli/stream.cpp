// cmanp stream: observations and questions from standard input, answers at once, a state that survives the process.
#include <fmt/format.h>
#include <unistd.h>

#include <cmanp/context.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/exit.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/points.hpp"
#include "cli/questions.hpp"
#include "cli/regular_saving.hpp"
#include "cli/rescue.hpp"
#include "cli/stop_signal.hpp"
#include "cli/verbs.hpp"
#include "tables/csv.hpp"

namespace cmanp::cli {
namespace {

struct StreamOptions {
  std::string model;
  SavingOptions saving;
  bool skip_bad = false;
  std::size_t threads = 1;
  bool json = false;
};

class Session {
 public:
  explicit Session(const StreamOptions& options)
      : options_(options),
        context_(open_context(options)),
        questions_(context_, options.json),
        saving_(
            options.saving, [this] { return context_.size(); }, [this] { context_.save(options_.saving.path); }) {}

  void run() {
    rescue([this] { read_all(); }, [this] { saving_.save_if_new(); });  // with everything before what went wrong
    saving_.save_at_the_end();
    if (bad_rows_ > 0) note(fmt::format("{} bad rows skipped", bad_rows_));
  }

 private:
  static Context open_context(const StreamOptions& options) {
    const std::string& state = options.saving.path;
    if (!state.empty()) check_can_write(state);
    const Model model = Model::load(options.model);
    const ContextOptions context_options{.threads = options.threads};
    const bool resume = !state.empty() && std::filesystem::exists(state);
    return resume ? Context::load(model, state, context_options) : Context(model, context_options);
  }

  void read_all() {
    const Config& config = context_.model().config();
    std::optional<tables::CsvReader> reader;
    end_input_on_signal(STDIN_FILENO);
    try {
      reader.emplace(STDIN_FILENO, "standard input", config.dim_x, config.dim_y, tables::Rows::questions);
    } catch (const Error&) {
      if (stop_signal() == 0) throw;  // else the signal cut the header off
      return;
    }
    questions_.print_header();
    while (take_row(*reader)) {
    }
    settle(reader->name());
  }

  // False at the end.
  bool take_row(tables::CsvReader& reader) {
    const bool whole = reader.buffered();
    if (!whole) {  // the pipe is drained: nothing may wait for what comes next
      settle(reader.name());
      saving_.wait_for_input(STDIN_FILENO);
    }
    const std::uint64_t bytes_before = reader.bytes_read();
    tables::Row row;
    try {
      if (!reader.next(row)) return false;
    } catch (const Error& error) {
      if (!whole && stop_signal() != 0) return false;
      settle(reader.name());
      // Where nothing was read and nothing will be, such as in an endless line, there is no next row to go on with.
      if (!whole && reader.bytes_read() == bytes_before && !reader.buffered()) throw;
      on_bad_row(error);
      return true;
    }
    if (!whole && stop_signal() != 0) return false;  // the signal may have cut the row short
    add(row, reader.name());
    return true;
  }

  // An observation goes after the questions before it, and a question after the observations before it.
  void add(const tables::Row& row, const std::string& name) {
    if (row.y.empty()) {
      observe_pending(name);
      questions_.add(row);
      if (questions_.full()) answer_pending(name);
    } else {
      answer_pending(name);
      points_.add(row);
      if (points_.full()) observe_pending(name);
    }
  }

  void observe_pending(const std::string& name) {
    if (points_.empty()) return;
    points_.observe(into(context_), name, [this](const Error& error) { on_bad_row(error); });
    saving_.save_if_due();
  }

  void answer_pending(const std::string& name) {
    questions_.answer(name, [this](const Error& error) { on_bad_row(error); });
  }

  void settle(const std::string& name) {
    observe_pending(name);
    answer_pending(name);
    questions_.flush();
  }

  void on_bad_row(const Error& error) {
    if (!options_.skip_bad) throw error;
    ++bad_rows_;
    fmt::print(stderr, "cmanp: warning: {}; row skipped\n", error.what());
  }

  const StreamOptions& options_;
  Context context_;
  PointBatch points_;
  QuestionBatch questions_;
  RegularSaving saving_;
  std::uint64_t bad_rows_ = 0;
};

void run(const StreamOptions& options) {
  Session(options).run();
  if (stop_signal() != 0) throw Exit{128 + stop_signal()};
}

}  // namespace

void add_stream(CLI::App& app) {
  auto options = std::make_shared<StreamOptions>();
  CLI::App* verb = add_verb(
      app, "stream", "Reads rows from standard input: one with a y is observed, one without is answered at once",
      "printf 'x,y\\n0.1,0.5\\n0.3,0.7\\n0.2,\\n' | cmanp stream --model gp.cmanp --state room.state");
  add_model(verb, options->model)->required();
  add_saving(verb, options->saving, "the state");
  verb->add_flag("--skip-bad", options->skip_bad, "Warn of a bad row and go on, instead of ending there");
  add_threads(verb, options->threads);
  add_json(verb, options->json);
  verb->callback([options] { run(*options); });
}

}  // namespace cmanp::cli
