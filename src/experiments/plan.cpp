#include "experiments/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <set>
#include <sstream>

#include "experiments/placeholders.hpp"
#include "files/json.hpp"
#include "files/quote.hpp"

namespace cmanp::experiments {
namespace {

using Json = nlohmann::ordered_json;

// An object of a plan, whose keys are taken one by one; what nobody took is unknown.
class Fields {
 public:
  Fields(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object()) fail("has to be an object");
  }

  const Json* find(const std::string& key) {
    taken_.insert(key);
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }

  template <class T>
  T get(const std::string& key) {
    const Json* value = find(key);
    if (value == nullptr) fail(fmt::format("has no {}", key));
    return as<T>(key, *value);
  }

  template <class T>
  T get(const std::string& key, T otherwise) {
    const Json* value = find(key);
    return value == nullptr ? otherwise : as<T>(key, *value);
  }

  template <class T>
  std::optional<T> try_get(const std::string& key) {
    const Json* value = find(key);
    return value == nullptr ? std::nullopt : std::optional<T>(as<T>(key, *value));
  }

  void end() const {
    for (const auto& [key, value] : object_.items()) {
      if (!taken_.contains(key)) fail(fmt::format("has the unknown key {}", files::quote(key)));
    }
  }

  [[noreturn]] void fail(const std::string& what) const { throw Error(fmt::format("{}: {}", where_, what)); }

 private:
  template <class T>
  T as(const std::string& key, const Json& value) const {
    try {
      return value.get<T>();
    } catch (const Json::exception&) {
      fail(fmt::format("{} has another type than it should", key));
    }
  }

  const Json& object_;
  std::string where_;
  std::set<std::string> taken_;
};

// Values are text in commands, and may be numbers in the file.
Values read_values(const Json* object, const std::string& where) {
  Values values;
  if (object == nullptr) return values;
  if (!object->is_object()) throw Error(fmt::format("{}: values have to be an object", where));
  for (const auto& [key, value] : object->items()) {
    if (value.is_structured()) throw Error(fmt::format("{}: value {} has to be text or a number", where, key));
    values[key] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return values;
}

PublishedValue read_published(const Json& value, const std::string& where) {
  if (value.is_number()) return {value.get<double>(), std::nullopt};
  if (value.is_array() && value.size() == 2 && value[0].is_number() && value[1].is_number()) {
    return {value[0].get<double>(), value[1].get<double>()};
  }
  throw Error(fmt::format("{}: the paper's value has to be a number, or [mean, deviation]", where));
}

Row read_row(const Json& object, const std::string& file, std::size_t index) {
  const std::string where = fmt::format("{}: row {}", file, index + 1);
  Fields fields(object, where);
  Row row{.name = fields.get<std::string>("name"), .title = {}, .values = {}, .paper = {}, .left_out = {}};
  const auto is_plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_'; };
  if (row.name.empty() || !std::all_of(row.name.begin(), row.name.end(), is_plain)) {
    fields.fail("its name becomes a folder's: letters, digits, - and _ only");
  }
  row.title = fields.get<std::string>("title", row.name);
  row.values = read_values(fields.find("values"), where);
  row.left_out = fields.get<std::string>("left_out", "");
  if (const Json* paper = fields.find("paper")) {
    if (!paper->is_object()) fields.fail("paper has to be an object");
    for (const auto& [column, value] : paper->items()) row.paper[column] = read_published(value, where);
  }
  fields.end();
  return row;
}

Column read_column(const Json& object, const std::string& file, std::size_t index) {
  Fields fields(object, fmt::format("{}: column {}", file, index + 1));
  Column column{fields.get<std::string>("title"), fields.get<std::string>("field"), Json::object()};
  if (const Json* where = fields.find("where")) column.where = *where;
  fields.end();
  return column;
}

Budget read_budget(const Json& object, const std::string& where) {
  Fields fields(object, where);
  Budget budget{.steps = fields.try_get<std::int64_t>("steps"),
                .minutes = fields.try_get<double>("minutes"),
                .seeds = fields.get<std::int64_t>("seeds", 1),
                .values = read_values(fields.find("values"), where)};
  if (budget.seeds < 1 || budget.seeds > 1000) fields.fail("seeds have to be 1 to 1000");
  fields.end();
  return budget;
}

Figure read_figure(const Json& object, const std::string& where) {
  Fields fields(object, where);
  Figure figure{.x = fields.get<std::string>("x"),
                .y = fields.get<std::string>("y"),
                .series = fields.get<std::string>("series"),
                .x_label = {},
                .y_label = {},
                .log_x = fields.get<bool>("log_x", false),
                .log_y = fields.get<bool>("log_y", false)};
  figure.x_label = fields.get<std::string>("x_label", figure.x);
  figure.y_label = fields.get<std::string>("y_label", figure.y);
  fields.end();
  return figure;
}

const Json& list_of(Fields& fields, const std::string& key) {
  const Json* list = fields.find(key);
  if (list == nullptr || !list->is_array() || list->empty()) fields.fail(fmt::format("{} has to be a list", key));
  return *list;
}

Words split(const std::string& text) {
  std::istringstream stream(text);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// Every {name} of the commands has to have a value in every row and budget.
void check_placeholders(const Plan& plan, const std::string& file) {
  for (const Row& row : plan.rows) {
    for (const auto& [budget_name, budget] : plan.budgets) {
      std::set<std::string> known{"run", "seed", "budget"};
      for (const auto& [key, value] : plan.needs) known.insert(key);
      for (const Values* values : {&row.values, &budget.values}) {
        for (const auto& [key, value] : *values) known.insert(key);
      }
      for (const Words& command : plan.commands) {
        for (const std::string& name : placeholders_in(command)) {
          if (known.contains(name)) continue;
          throw Error(
              fmt::format("{}: {{{}}} has no value in row {} with budget {}", file, name, row.name, budget_name));
        }
      }
    }
  }
}

}  // namespace

Plan read_plan(const std::filesystem::path& path) {
  const std::string file = path.string();
  const Json document = files::read_json(path, files::JsonComments::welcome);
  Fields fields(document, file);
  Plan plan;
  plan.name = path.stem().string();
  plan.title = fields.get<std::string>("title");
  plan.claim = fields.get<std::string>("claim", "");
  plan.measure = fields.get<std::string>("measure", "");
  plan.higher_is_better = fields.get<bool>("higher_is_better", true);
  for (const auto& command : fields.get<std::vector<std::string>>("commands")) plan.commands.push_back(split(command));
  if (plan.commands.empty()) fields.fail("has no commands");
  plan.needs = fields.get<std::map<std::string, std::string>>("needs", {});
  if (const Json* columns = fields.find("columns")) {
    for (std::size_t i = 0; i < columns->size(); ++i) plan.columns.push_back(read_column((*columns)[i], file, i));
  }
  const Json& rows = list_of(fields, "rows");
  std::set<std::string> names;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    plan.rows.push_back(read_row(rows[i], file, i));
    if (!names.insert(plan.rows.back().name).second) fields.fail(fmt::format("row {} stands twice", plan.rows[i].name));
  }
  const Json* budgets = fields.find("budgets");
  for (const std::string& name : kBudgets) {
    if (budgets == nullptr || !budgets->is_object() || !budgets->contains(name)) {
      fields.fail(fmt::format("budgets have to be {}", fmt::join(kBudgets, ", ")));
    }
    plan.budgets[name] = read_budget((*budgets)[name], fmt::format("{}: budget {}", file, name));
  }
  if (const Json* figure = fields.find("figure")) plan.figure = read_figure(*figure, file + ": figure");
  fields.end();
  check_placeholders(plan, file);
  return plan;
}

std::vector<Plan> read_plans(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator(folder, problem)) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  }
  if (problem) throw Error(fmt::format("{}: {}", folder.string(), problem.message()));
  if (paths.empty()) throw Error(fmt::format("{}: has no plans (*.json)", folder.string()));
  std::sort(paths.begin(), paths.end());
  std::vector<Plan> plans;
  for (const auto& path : paths) plans.push_back(read_plan(path));
  return plans;
}

}  // namespace cmanp::experiments
