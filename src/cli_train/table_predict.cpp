#include "cli_train/table_predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "cli/messages.hpp"
#include "cli/output.hpp"
#include "cli/table_forecasts.hpp"
#include "cli_train/remembered_settings.hpp"
#include "cli_train/table_model.hpp"
#include "data/role_columns.hpp"
#include "data/row_series.hpp"
#include "files/json.hpp"
#include "training/trainer/threads.hpp"

namespace cmanp::cli_train {
namespace {

// Columns of the types that the model knows them to have: whatever else is in one is refused where it stands.
data::DataTable read_rows(const std::vector<std::string>& files, const training::TableKeys& keys) {
  data::TableOptions options;
  for (const data::KnownColumn& known : training::inputs_of_rows(keys)) {
    options.types[known.name] = known.category() ? data::ColumnType::category
                                : known.time     ? data::ColumnType::time
                                                 : data::ColumnType::number;
  }
  for (const std::string& file : files) {
    if (file == "-") throw Error("standard input: a model of a table reads files, whose first line names the columns");
  }
  return data::read_data_table({files.begin(), files.end()}, options);
}

// The columns of values that a table has; those that it lacks are null.
std::vector<const data::Column*> values_in(const data::DataTable& table, const std::vector<std::string>& names) {
  std::vector<const data::Column*> columns;
  for (const std::string& name : names) {
    const data::Column* column = table.find(name);
    const bool words = column != nullptr && column->type != data::ColumnType::number;
    if (words) data::column_of_values(table, name);  // says so
    columns.push_back(column);
  }
  return columns;
}

class RowPredictor {
 public:
  RowPredictor(const TableModel& model, const cli::PredictOptions& options)
      : model_(model),
        keys_(model.keys),
        inputs_(training::inputs_of_rows(keys_)),
        y_(data::split_list(keys_.y)),
        asked_(read_rows({options.targets}, keys_)) {
    if (!options.context.empty()) known_.emplace(read_rows(options.context, keys_));
    // Files without the column of groups are of one group.
    const bool grouped = asked_.find(keys_.group) != nullptr && (!known_ || known_->find(keys_.group) != nullptr);
    if (!grouped) keys_.group.clear();
  }

  void run(bool json) {
    if (asked_.rows() == 0) throw Error(fmt::format("{}: no rows to predict", asked_.where(0)));
    if (known_) take_known();
    take_asked();
    std::vector<data::Window> windows;
    for (auto& [group, task] : tasks_) {
      warn_of_long_contexts(task);
      std::erase_if(task, [](const data::Window& w) { return w.context.empty() && w.targets.empty(); });
      add(task, windows);
    }
    const auto answers = model_.answer(windows, training::table_units(model_.keys));
    std::map<std::pair<const data::Series*, std::size_t>, Answer> by_point;
    for (std::size_t w = 0; w < windows.size(); ++w) {
      for (std::size_t i = 0; i < windows[w].targets.size(); ++i) {
        by_point[{windows[w].series, windows[w].targets[i]}] = {&answers[w], i};
      }
    }
    print(by_point, json);
  }

 private:
  struct Answer {
    const forecasts::Forecast* forecast;
    std::size_t place;
  };
  // Where the answer about a row and a column is to be found.
  struct Question {
    std::size_t row, column;
    const data::Series* series;
    std::size_t point;
  };

  // The windows of a group, one a column; made when a row of it is seen.
  std::vector<data::Window>& task_of(const std::string& group) {
    const auto [found, added] = tasks_.try_emplace(group);
    if (added) {
      for (std::size_t column = 0; column < y_.size(); ++column) {
        series_.push_back(std::make_unique<data::Series>(data::Series{group, y_[column], {}, {}}));
        series_.back()->column = column;
        found->second.push_back({series_.back().get(), 0, {}, {}});
        own_[found->second.back().series] = series_.back().get();
      }
    }
    return found->second;
  }

  std::size_t append(const data::RowAppender& rows, std::size_t row, double value, const data::Window& window) {
    data::Series& series = *own_.at(window.series);
    rows.append(row, static_cast<double>(series.x.size()), value, series);
    return series.x.size() - 1;
  }

  void take_known() {
    const data::RowAppender rows(*known_, keys_.group, inputs_);
    const std::vector<const data::Column*> values = values_in(*known_, y_);
    if (std::all_of(values.begin(), values.end(), [](const auto* column) { return column == nullptr; })) {
      known_->column(y_.front());  // says that there is none
    }
    for (std::size_t row = 0; row < known_->rows(); ++row) {
      std::vector<data::Window>& task = task_of(rows.group(row));
      for (std::size_t column = 0; column < y_.size(); ++column) {
        const double value = values[column] == nullptr ? std::nan("") : values[column]->values[row];
        if (!std::isnan(value)) task[column].context.push_back(append(rows, row, value, task[column]));
      }
    }
  }

  // What is there of the values of such a row is known, too.
  void take_asked() {
    const data::RowAppender rows(asked_, keys_.group, inputs_);
    const std::vector<const data::Column*> values = values_in(asked_, y_);
    for (std::size_t row = 0; row < asked_.rows(); ++row) {
      std::vector<data::Window>& task = task_of(rows.group(row));
      for (std::size_t column = 0; column < y_.size(); ++column) {
        const double value = values[column] == nullptr ? std::nan("") : values[column]->values[row];
        const std::size_t point = append(rows, row, value, task[column]);
        if (std::isnan(value)) {
          task[column].targets.push_back(point);
          questions_.push_back({row, column, task[column].series, point});
        } else {
          task[column].context.push_back(point);
        }
      }
    }
    if (questions_.empty()) {
      throw Error(fmt::format("{}: all of {} are known: nothing is asked for", asked_.where(0), keys_.y));
    }
  }

  // As trained: the columns of a group are one task, or each is one.
  void add(const std::vector<data::Window>& task, std::vector<data::Window>& windows) const {
    const auto asks = [](const data::Window& window) { return !window.targets.empty(); };
    if (training::is_joint(model_.keys)) {
      if (std::any_of(task.begin(), task.end(), asks)) data::add_task(task, windows);
    } else {
      std::copy_if(task.begin(), task.end(), std::back_inserter(windows), asks);
    }
  }

  void warn_of_long_contexts(const std::vector<data::Window>& task) {
    for (const data::Window& window : task) {
      if (warned_ || std::cmp_less_equal(window.context.size(), keys_.window)) continue;
      warned_ = true;
      cli::warn(fmt::format("{} rows are known; the model was trained on tasks of {} at most (--window)",
                            window.context.size(), keys_.window));
    }
  }

  nlohmann::ordered_json value_of(const data::Column& column, std::size_t row) const {
    const double value = column.values[row];
    if (std::isnan(value)) return nullptr;
    return column.type == data::ColumnType::number ? nlohmann::ordered_json(value)
                                                   : nlohmann::ordered_json(data::group_name(column, value));
  }

  void print(const std::map<std::pair<const data::Series*, std::size_t>, Answer>& answers, bool json) const {
    std::vector<const data::Column*> shown;
    if (!keys_.group.empty()) shown.push_back(&asked_.column(keys_.group));
    for (const std::string& x : data::split_list(keys_.x)) shown.push_back(&asked_.column(x));
    cli::Output output;
    if (!json) {
      for (const data::Column* column : shown) output.text(cli::in_csv(column->name) + ",");
      output.text(fmt::format("column,{}\n", cli::kAnswerNames));
    }
    for (const Question& question : questions_) {
      const Answer& answer = answers.at({question.series, question.point});
      std::vector<double> numbers = cli::answer_numbers(*answer.forecast, answer.place);
      if (json) {
        nlohmann::ordered_json line;
        for (const data::Column* column : shown) line[column->name] = value_of(*column, question.row);
        line["column"] = y_[question.column];
        const std::vector<std::string> names = data::split_list(cli::kAnswerNames);
        for (std::size_t i = 0; i < names.size(); ++i) line[names[i]] = numbers[i];
        cli::print_json(line);
        continue;
      }
      for (const data::Column* column : shown) {
        const nlohmann::ordered_json value = value_of(*column, question.row);
        const std::string text = value.is_null()     ? std::string()
                                 : value.is_string() ? cli::in_csv(value.get<std::string>())
                                                     : fmt::format("{}", value.get<double>());
        output.text(text + ",");
      }
      output.text(cli::in_csv(y_[question.column]) + ",");
      for (double& number : numbers) number = cli::answer_digits(number, answer.forecast->std[answer.place]);
      output.numbers(numbers);
      output.text("\n");
    }
    output.flush();
  }

  const TableModel& model_;
  training::TableKeys keys_;
  std::vector<data::KnownColumn> inputs_;
  std::vector<std::string> y_;
  std::optional<data::DataTable> known_;
  data::DataTable asked_;
  std::vector<std::unique_ptr<data::Series>> series_;
  std::map<const data::Series*, data::Series*> own_;
  std::map<std::string, std::vector<data::Window>> tasks_;
  std::vector<Question> questions_;
  bool warned_ = false;
};

}  // namespace

bool predicts_rows(const std::string& place) {
  nlohmann::ordered_json settings;
  if (std::filesystem::is_directory(place)) {
    const std::filesystem::path file = std::filesystem::path(place) / "settings.json";
    if (!std::filesystem::exists(file)) throw Error(fmt::format("{}: is a folder without a run", place));
    settings = files::read_json(file);
  } else {
    settings = remembered_settings(place);
  }
  if (!settings.is_object() || !settings.contains("x_as") || !settings["x_as"].is_string()) return false;
  return !settings["x_as"].get<std::string>().empty();
}

void predict_rows(const cli::PredictOptions& options) {
  if (options.draws > 0) throw Error("--sample: not of a table with several x");
  if (!options.data.reading.x.empty() || !options.data.reading.y.empty()) {
    throw Error(fmt::format("--x, --y: {} was trained on a table, and knows its columns", options.model));
  }
  if (!options.state.empty()) throw Error("--state: not of a table with several x; give its rows by --context");
  training::use_threads(static_cast<std::int64_t>(options.threads));
  const TableModel model = load_table_model(options.model);
  RowPredictor(model, options).run(options.json);
}

}  // namespace cmanp::cli_train
