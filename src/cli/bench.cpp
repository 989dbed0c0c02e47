// cmanp bench: how fast this machine runs a model, as a fraction of what its arithmetic could do.
#include <fmt/format.h>

#include <cmanp/context.hpp>
#include <cmath>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "cli/beside_peak.hpp"
#include "cli/numbers.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/process_memory.hpp"
#include "cli/verbs.hpp"
#include "runtime/access.hpp"
#include "runtime/grid.hpp"
#include "runtime/layout.hpp"
#include "runtime/model_data.hpp"
#include "runtime/weights.hpp"
#include "runtime/work.hpp"

namespace cmanp::cli {
namespace {

struct BenchOptions {
  std::vector<std::string> cases{"condition", "update", "query"};
  std::string model;
  std::size_t points = 16384;
  std::size_t threads = 1;
  std::vector<Range> ranges;  // none: the model's own
  bool shuffled = false;
  std::string instructions;
  double seconds = 3;
  bool json = false;
};

// What is timed: `items` points or queries a call, each worth `multiply_adds`.
struct Case {
  std::function<void()> call;
  double items = 1;
  double multiply_adds = 0;
};

struct Points {
  std::vector<double> x, y;
};

// A smooth function with x in [-2, 2]: what the values are makes no difference to the time. Where there is a range,
// from one end of it to the other, as time goes by, or in no order: points see their neighbourhood only.
Points make_points(const Context& context, std::size_t count, bool shuffled) {
  const Config& config = context.model().config();
  const Range& range = context.options().range;
  Points points{std::vector<double>(count * config.dim_x), std::vector<double>(count * config.dim_y)};
  std::vector<std::size_t> places(count);  // along the first x
  std::iota(places.begin(), places.end(), std::size_t{0});
  base::Random random(1);
  for (std::size_t i = count; shuffled && i > 1; --i) {
    std::swap(places[i - 1], places[random.below(i)]);
  }
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    const std::size_t axis = i % config.dim_x;
    const double wave = std::sin(1.1 * static_cast<double>(i));
    points.x[i] = 2 * wave;
    if (axis >= range.low.size()) continue;
    const double along = (static_cast<double>(places[i / config.dim_x]) + 0.5) / static_cast<double>(count);
    points.x[i] = range.low[axis] + (axis == 0 ? along : 0.5 + 0.5 * wave) * (range.high[axis] - range.low[axis]);
  }
  for (std::size_t i = 0; i < points.y.size(); ++i) points.y[i] = std::cos(0.9 * static_cast<double>(i));
  return points;
}

Case make_case(const std::string& name, Context& context, const BenchOptions& options) {
  const std::size_t points = options.points;
  const runtime::Weights& weights = runtime::Access::weights(context.model());
  const runtime::Layout layout(weights, context.options());
  const auto many = std::make_shared<Points>(make_points(context, points, options.shuffled));
  if (name == "condition") {
    return {[&context, many] { context.observe(many->x, many->y); }, static_cast<double>(points),
            runtime::absorb_multiply_adds(weights, layout)};
  }
  context.observe(many->x, many->y);
  const std::size_t targets = name == "query" ? 1024 : 1;
  const auto one = std::make_shared<Points>(make_points(context, targets, options.shuffled));
  const auto answers = std::make_shared<Points>(Points{one->y, one->y});
  const double query = runtime::query_multiply_adds(weights, layout);
  if (name == "query") {
    return {[&context, one, answers] { context.predict(one->x, answers->x, answers->y); }, static_cast<double>(targets),
            query};
  }
  const auto update = [&context, one, answers] {
    context.observe(one->x, one->y);
    context.predict(one->x, answers->x, answers->y);
  };
  return {update, 1,
          runtime::absorb_multiply_adds(weights, layout) + runtime::refresh_multiply_adds(weights, layout) + query};
}

nlohmann::ordered_json run_case(const std::string& name, const Model& model, const Range& range,
                                const BenchOptions& options) {
  // In the model's own units, which it would else look for in the first points.
  const auto frame = model.config().frames ? std::optional(Normalisation::identity(model.config())) : std::nullopt;
  Context context(model, {.threads = options.threads, .range = range, .frame = frame});
  const Case work = make_case(name, context, options);
  const BesidePeak timed = time_beside_peak(work.call, options.seconds, options.threads);
  const double per_second = work.items / timed.seconds;
  nlohmann::ordered_json result{{"case", name},
                                {"per_second", per_second},
                                {"gflops", 2e-9 * work.multiply_adds * per_second},
                                {"peak_gflops", timed.peak_gflops},
                                {"fraction_of_peak", timed.fraction(work.items * work.multiply_adds)},
                                {"peak_rss_mb", peak_rss_mb()},
                                {"threads", options.threads}};
  if (!range.empty()) result["range"] = runtime::to_text(range);
  return result;
}

void print_row(Output& output, const nlohmann::ordered_json& result) {
  output.text(fmt::format(
      "{:<10} {:>12.1f} {:>9.1f} {:>9.1f} {:>7.1f} % {:>9.1f} {:>8}{}\n", result["case"].get<std::string>(),
      result["per_second"].get<double>(), result["gflops"].get<double>(), result["peak_gflops"].get<double>(),
      100 * result["fraction_of_peak"].get<double>(), result["peak_rss_mb"].get<double>(),
      result["threads"].get<std::size_t>(), result.contains("range") ? "  " + result["range"].get<std::string>() : ""));
  output.flush();
}

void run(const BenchOptions& options) {
  use_instructions(options.instructions);
  const Model model =
      options.model.empty() ? runtime::make_model(runtime::random_model(Config{}, 0)) : Model::load(options.model);
  Output output;
  if (!options.json) {
    output.text(fmt::format("{:<10} {:>12} {:>9} {:>9} {:>9} {:>9} {:>8}{}\n", "case", "per second", "GFLOP/s", "peak",
                            "of peak", "MB at most", "threads", options.ranges.empty() ? "" : "  range"));
  }
  for (const std::string& name : options.cases) {
    for (const Range& range : options.ranges.empty() ? std::vector<Range>(1) : options.ranges) {
      const nlohmann::ordered_json result = run_case(name, model, range, options);
      if (options.json) {
        print_json(result);
      } else {
        print_row(output, result);
      }
    }
  }
}

}  // namespace

void add_bench(CLI::App& app) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* verb = add_verb(app, "bench", "Speed, fraction of the machine's peak, and memory",
                            "cmanp bench condition query --threads 2 --json");
  verb->add_option("case", options->cases,
                   "condition: points taken in; update: an observation, then a prediction; query: 1024 targets at once "
                   "(default: all; `bench train` and `bench events` are the training half's)")
      ->check(CLI::IsMember({"condition", "update", "query"}));
  add_model(verb, options->model)->description("The model file (default: random weights of the paper's size)");
  verb->add_option("--points,-n", options->points, "Points observed in a call, and before update and query")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 30))
      ->capture_default_str()
      ->type_name("N");
  verb->add_option("--seconds", options->seconds, "Time to spend on each case")
      ->check(number_between(0.001, 3600.0))
      ->capture_default_str()
      ->type_name("SECONDS");
  add_threads(verb, options->threads);
  verb->add_option_function<std::vector<std::string>>(
          "--range",
          [options](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) options->ranges.push_back(parse_range(text));
          },
          "Where x lies, for a model in relative coordinates: LOW:HIGH, with a comma between several x; each of "
          "several "
          "in turn")
      ->type_name("RANGE");
  verb->add_flag("--shuffled", options->shuffled, "Points and targets in no order of x, where there is a range");
  add_instructions(verb, options->instructions);
  add_json(verb, options->json);
  verb->callback([options] { run(*options); });
}

}  // namespace cmanp::cli
