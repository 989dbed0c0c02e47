#include "experiments/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmanp/error.hpp>
#include <set>
#include <type_traits>

#include "base/suggest.hpp"
#include "experiments/placeholders.hpp"
#include "files/json.hpp"
#include "files/quote.hpp"

namespace cmanp::experiments {
namespace {

using Json = nlohmann::ordered_json;

const Words kOwnPlaceholders = {"run", "seed", "budget", "plans"};  // have values by themselves

// A type of a plan's values, for a message.
template <class T>
const char* name_of_type() {
  if constexpr (std::is_same_v<T, std::string>) return "text";
  if constexpr (std::is_same_v<T, bool>) return "true or false";
  if constexpr (std::is_integral_v<T>) return "a whole number";
  if constexpr (std::is_floating_point_v<T>) return "a number";
  if constexpr (std::is_same_v<T, Words>) return "text or a list of texts";
  return "an object of texts";
}

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
  // As nlohmann reads it, but for a fraction where a whole number has to be: it would be cut off.
  template <class T>
  T as(const std::string& key, const Json& value) const {
    constexpr bool is_whole = std::is_integral_v<T> && !std::is_same_v<T, bool>;
    try {
      if (!is_whole || value.is_number_integer()) return value.get<T>();
    } catch (const Json::exception&) {
    }
    fail(fmt::format("{} has to be {}, not {}", key, name_of_type<T>(),
                     value.is_string() ? "the text " + files::quote(value.get_ref<const std::string&>())
                                       : files::quote(value.dump())));
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

void check_seeds(const Fields& fields, std::int64_t seeds) {
  if (seeds < 1 || seeds > 1000) fields.fail("seeds have to be 1 to 1000");
}

// By budget.
std::map<std::string, std::int64_t> read_seeds(const Json* object, const std::string& where) {
  std::map<std::string, std::int64_t> seeds;
  if (object == nullptr) return seeds;
  Fields fields(*object, where + ": seeds");
  for (const std::string& budget : kBudgets) {
    const auto number = fields.try_get<std::int64_t>(budget);
    if (!number) continue;
    check_seeds(fields, *number);
    seeds[budget] = *number;
  }
  fields.end();
  return seeds;
}

// The name of a field, or a path to one.
std::string read_field(Fields& fields, const std::string& key) {
  std::string field = fields.get<std::string>(key);
  try {
    if (field.starts_with('/')) static_cast<void>(Json::json_pointer(field));
  } catch (const Json::exception&) {
    fields.fail(fmt::format("{} is no path: {}", key, files::quote(field)));
  }
  return field;
}

Row read_row(const Json& object, const std::string& file, std::size_t index) {
  const std::string where = fmt::format("{}: row {}", file, index + 1);
  Fields fields(object, where);
  Row row{.name = fields.get<std::string>("name"),
          .title = {},
          .values = {},
          .trained = {},
          .share = 1,
          .seeds = read_seeds(fields.find("seeds"), where),
          .paper = {},
          .left_out = {}};
  const auto is_plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_'; };
  if (row.name.empty() || !std::all_of(row.name.begin(), row.name.end(), is_plain)) {
    fields.fail("its name becomes a folder's: letters, digits, - and _ only");
  }
  row.title = fields.get<std::string>("title", row.name);
  row.values = read_values(fields.find("values"), where);
  row.left_out = fields.get<std::string>("left_out", "");
  row.trained = fields.get<std::string>("trained", "");
  row.share = fields.get<double>("share", 1);
  if (!(row.share > 0) || row.share > 100) fields.fail("share has to be above 0 and at most 100");
  if (const Json* paper = fields.find("paper")) {
    if (!paper->is_object()) fields.fail("paper has to be an object");
    for (const auto& [column, value] : paper->items()) row.paper[column] = read_published(value, where);
  }
  fields.end();
  return row;
}

// Commands are counted from 1; the last where nothing is said.
Lines read_lines(Fields& fields, std::size_t commands) {
  const auto number = fields.get<std::int64_t>("command", static_cast<std::int64_t>(commands));
  if (number < 1 || number > static_cast<std::int64_t>(commands)) {
    fields.fail(fmt::format("command has to be 1 to {}", commands));
  }
  Lines lines{static_cast<std::size_t>(number) - 1, Json::object()};
  if (const Json* where = fields.find("where")) {
    if (!where->is_object()) fields.fail("where has to be an object");
    lines.where = *where;
  }
  return lines;
}

Column read_column(const Json& object, const Plan& plan, const std::string& where) {
  Fields fields(object, where);
  Column column{.title = fields.get<std::string>("title"),
                .field = read_field(fields, "field"),
                .lines = read_lines(fields, plan.commands.size()),
                .pick = Pick::first,
                .over = {},
                .at_least = fields.get<double>("at_least", 0),
                .times = fields.get<double>("times", 1),
                .digits = fields.get<int>("digits", 2),
                .other_unit = fields.get<bool>("other_unit", false),
                .higher_is_better = fields.try_get<bool>("higher_is_better")};
  if (column.digits < 0 || column.digits > 9) fields.fail("digits have to be 0 to 9");
  for (const auto& [key, pick] : {std::pair{"most", Pick::most}, {"least", Pick::least}, {"power_of", Pick::power}}) {
    if (fields.find(key) == nullptr) continue;
    if (column.pick != Pick::first) fields.fail("has one of most, least and power_of only");
    column.pick = pick;
    column.over = read_field(fields, key);
  }
  fields.end();
  return column;
}

Limit read_limit(const Json& object, const std::string& where) {
  Fields fields(object, where);
  Limit limit{fields.get<std::string>("title"), read_field(fields, "field")};
  fields.end();
  return limit;
}

Budget read_budget(const Json& object, const std::string& where) {
  Fields fields(object, where);
  Budget budget{.steps = fields.try_get<std::int64_t>("steps"),
                .minutes = fields.try_get<double>("minutes"),
                .seeds = fields.get<std::int64_t>("seeds", 1),
                .values = read_values(fields.find("values"), where)};
  check_seeds(fields, budget.seeds);
  if (budget.steps.value_or(0) < 0) fields.fail("steps have to be 0 or more");
  if (!(budget.minutes.value_or(0) >= 0)) fields.fail("minutes have to be 0 or more");
  fields.end();
  return budget;
}

// The fields that tell curves apart: one, or a list.
Words read_series(Fields& fields) {
  const Json* series = fields.find("series");
  const bool one = series != nullptr && series->is_string();
  Words names = one ? Words{series->get<std::string>()} : fields.get<Words>("series");
  if (names.empty()) fields.fail("series has no field");
  return names;
}

Figure read_figure(const Json& object, const Plan& plan, const std::string& where) {
  Fields fields(object, where);
  Figure figure{.title = fields.get<std::string>("title", plan.title),
                .x = read_field(fields, "x"),
                .y = read_field(fields, "y"),
                .x_label = {},
                .y_label = {},
                .series = read_series(fields),
                .lines = read_lines(fields, plan.commands.size()),
                .log_x = fields.get<bool>("log_x", false),
                .log_y = fields.get<bool>("log_y", false)};
  figure.x_label = fields.get<std::string>("x_label", figure.x);
  figure.y_label = fields.get<std::string>("y_label", figure.y);
  fields.end();
  return figure;
}

bool is_file_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

Picture read_picture(const Json& object, const std::string& where) {
  Fields fields(object, where);
  Picture picture{fields.get<std::string>("file"), fields.get<std::string>("title")};
  if (!is_file_name(picture.file) || !picture.file.ends_with(".png")) fields.fail("file has to be a name, *.png");
  fields.end();
  return picture;
}

// "below": 0.1, or {"row": …, "column": …, "times": …}: what is not said is as on the left.
Claim read_claim(const Json& object, const Plan& plan, const std::string& where) {
  Fields fields(object, where);
  Claim claim{.says = fields.get<std::string>("says"),
              .row = fields.get<std::string>("row"),
              .column = fields.get<std::string>("column"),
              .below = true,
              .bound = 1,
              .other_row = {},
              .other_column = {}};
  const Json* below = fields.find("below");
  const Json* above = fields.find("above");
  if ((below == nullptr) == (above == nullptr)) fields.fail("has either below or above");
  claim.below = below != nullptr;
  const Json& bound = claim.below ? *below : *above;
  if (bound.is_number()) {
    claim.bound = bound.get<double>();
  } else {
    Fields other(bound, where + (claim.below ? ": below" : ": above"));
    claim.other_row = other.get<std::string>("row", claim.row);
    claim.other_column = other.get<std::string>("column", claim.column);
    claim.bound = other.get<double>("times", 1);
    other.end();
  }
  const auto known = [](const auto& list, auto member, const std::string& name) {
    return std::any_of(list.begin(), list.end(), [&](const auto& one) { return one.*member == name; });
  };
  for (const std::string& row : {claim.row, claim.other_row}) {
    if (!row.empty() && !known(plan.rows, &Row::name, row)) fields.fail(fmt::format("there is no row {}", row));
  }
  for (const std::string& column : {claim.column, claim.other_column}) {
    if (!column.empty() && !known(plan.columns, &Column::title, column)) {
      fields.fail(fmt::format("there is no column {}", column));
    }
  }
  fields.end();
  return claim;
}

const Json& list_of(Fields& fields, const std::string& key) {
  const Json* list = fields.find(key);
  if (list == nullptr || !list->is_array() || list->empty()) fields.fail(fmt::format("{} has to be a list", key));
  return *list;
}

Command read_command(const Json& value, const std::string& where) {
  const Json with_text = value.is_string() ? Json{{"command", value}} : value;
  Fields fields(with_text, where);
  Command command{words_of(fields.get<std::string>("command")), fields.get<std::string>("each", "")};
  if (command.words.empty()) fields.fail("is empty");
  if (command.words.front() == "cmanp") fields.fail("begins with `cmanp`, which every command has by itself");
  fields.end();
  return command;
}

// One object or a list of them, as a plan may have it.
std::vector<Json> one_or_more(const Json* value) {
  if (value == nullptr) return {};
  return value->is_array() ? value->get<std::vector<Json>>() : std::vector<Json>{*value};
}

// What {names} of a row stand for with a budget; the later go before.
std::array<const Values*, 3> values_of(const Plan& plan, const Row& row, const Budget& budget) {
  return {&plan.values, &row.values, &budget.values};
}

// Every {name} of the commands that a row has, and of its values, which may be another, has to have a value.
void check_placeholders(const Plan& plan, const Row& row, const std::string& budget, const std::string& file) {
  Words known = kOwnPlaceholders, names;
  for (const Values* values : values_of(plan, row, plan.budgets.at(budget))) {
    for (const auto& [key, value] : *values) {
      known.push_back(key);
      for (const std::string& name : placeholders_in({value})) names.push_back(name);
    }
  }
  for (const Command& command : plan.commands) {
    if (!row.trained.empty() && trains(command)) continue;
    for (const std::string& name : placeholders_in(command.words)) {
      if (!plan.needs.contains(name)) names.push_back(name);
    }
    if (!command.each.empty()) names.push_back(command.each);
  }
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string near = base::nearest(name, known);
    throw Error(fmt::format("{}: {{{}}} has no value in row {} with budget {}{}", file, name, row.name, budget,
                            near.empty() ? "" : fmt::format("; did you mean {{{}}}?", near)));
  }
}

// Titles that tell columns apart, and none that the paper has numbers for and the table has not.
void check_columns(const Plan& plan, const std::string& file) {
  std::set<std::string> titles;
  for (const Column& column : plan.columns) {
    if (!titles.insert(column.title).second) {
      throw Error(fmt::format("{}: column {} stands twice", file, files::quote(column.title)));
    }
  }
  for (const Row& row : plan.rows) {
    for (const auto& [column, value] : row.paper) {
      if (titles.contains(column)) continue;
      throw Error(fmt::format("{}: row {}: paper: there is no column {}", file, row.name, files::quote(column)));
    }
  }
}

// A row that takes over another's run; no chains of them, which nothing needs.
void check_trained(const Plan& plan, const std::vector<Plan>& plans) {
  for (const Row& row : plan.rows) {
    if (row.trained.empty()) continue;
    bool found = false;
    for (const Plan& other : plans) {
      for (const Row& theirs : other.rows) {
        found = found || (theirs.trained.empty() && row.trained == other.name + "/" + theirs.name);
      }
    }
    if (found) continue;
    throw Error(fmt::format("{}: row {}: no plan has a run of {}", file_of(plan), row.name, row.trained));
  }
}

}  // namespace

bool trains(const Command& command) {
  return std::find(command.words.begin(), command.words.end(), "{budget}") != command.words.end();
}

std::string file_of(const Plan& plan) { return (plan.folder / (plan.name + ".json")).string(); }

Plan read_plan(const std::filesystem::path& path) {
  const std::string file = path.string();
  const Json document = files::read_json(path, files::JsonComments::welcome);
  Fields fields(document, file);
  Plan plan;
  plan.name = path.stem().string();
  plan.title = fields.get<std::string>("title");
  plan.claim = fields.get<std::string>("claim", "");
  plan.measure = fields.get<std::string>("measure", "");
  plan.place = fields.get<int>("place", 0);
  plan.compact = fields.get<bool>("compact", false);
  plan.folder = path.parent_path();
  plan.values = read_values(fields.find("values"), file);
  for (const Json& command : list_of(fields, "commands")) {
    plan.commands.push_back(read_command(command, fmt::format("{}: command {}", file, plan.commands.size() + 1)));
  }
  plan.needs = fields.get<std::map<std::string, std::string>>("needs", {});
  for (const std::string& name : kOwnPlaceholders) {
    if (plan.needs.contains(name))
      fields.fail(fmt::format("needs cannot be called {}: {{{}}} is filled in", name, name));
  }
  const auto higher_is_better = fields.try_get<bool>("higher_is_better");  // of columns that do not say
  for (const Json& column : one_or_more(fields.find("columns"))) {
    plan.columns.push_back(read_column(column, plan, fmt::format("{}: column {}", file, plan.columns.size() + 1)));
    if (!plan.columns.back().higher_is_better) plan.columns.back().higher_is_better = higher_is_better;
  }
  const Json& rows = list_of(fields, "rows");
  std::set<std::string> names;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    plan.rows.push_back(read_row(rows[i], file, i));
    if (!names.insert(plan.rows.back().name).second) fields.fail(fmt::format("row {} stands twice", plan.rows[i].name));
  }
  for (const Json& limit : one_or_more(fields.find("limits"))) {
    plan.limits.push_back(read_limit(limit, fmt::format("{}: limit {}", file, plan.limits.size() + 1)));
  }
  const Json* budgets = fields.find("budgets");
  for (const std::string& name : kBudgets) {
    if (budgets == nullptr || !budgets->is_object() || !budgets->contains(name) || budgets->size() > kBudgets.size()) {
      fields.fail(fmt::format("budgets have to be {}", fmt::join(kBudgets, ", ")));
    }
    plan.budgets[name] = read_budget((*budgets)[name], fmt::format("{}: budget {}", file, name));
  }
  for (const Json& figure : one_or_more(fields.find("figure"))) {
    plan.figures.push_back(read_figure(figure, plan, file + ": figure"));
  }
  for (const Json& picture : one_or_more(fields.find("pictures"))) {
    plan.pictures.push_back(read_picture(picture, file + ": picture"));
  }
  for (const Json& claim : one_or_more(fields.find("claims"))) {
    plan.claims.push_back(read_claim(claim, plan, fmt::format("{}: claim {}", file, plan.claims.size() + 1)));
  }
  fields.end();
  check_columns(plan, file);
  for (const Row& row : plan.rows) {
    for (const std::string& budget : kBudgets) check_placeholders(plan, row, budget, file);
  }
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
  std::stable_sort(plans.begin(), plans.end(), [](const Plan& a, const Plan& b) { return a.place < b.place; });
  for (const Plan& plan : plans) check_trained(plan, plans);
  return plans;
}

}  // namespace cmanp::experiments
