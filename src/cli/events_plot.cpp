// cmanp events plot: the intensity that a model predicts along a sequence, beside what came.
#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <memory>

#include "cli/events.hpp"
#include "cli/messages.hpp"
#include "cli/numbers.hpp"
#include "cli/options.hpp"
#include "events/event_engine.hpp"
#include "files/quote.hpp"
#include "plots/event_plot.hpp"
#include "plots/gnuplot.hpp"

namespace cmanp::cli {
namespace {

struct EventPlotOptions {
  std::string model, data, sequence, title, out;
  events::ReadOptions read;
  std::size_t events = 100, points = 40;
  double interval = 0.9;
};

const events::Sequence& choose(const events::EventData& data, const EventPlotOptions& options) {
  if (options.sequence.empty()) return data.sequences.front();
  for (const events::Sequence& sequence : data.sequences) {
    if (sequence.name == options.sequence || sequence.name.ends_with(":" + options.sequence)) return sequence;
  }
  throw Error(fmt::format("{}: has no sequence {}", options.data, files::quote(options.sequence)));
}

// The intensity between two events, at places that lie closer where it changes faster: after the first one.
void add_intensity(const events::LogNormalMixture& gap, double from, double length, std::size_t points,
                   plots::EventPlot& plot) {
  for (std::size_t i = 1; i <= points && length > 0; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(points), after = length * share * share;
    plot.time.push_back(from + after);
    plot.intensity.push_back(gap.intensity(after));
  }
}

plots::EventPlot follow(events::EventEngine& engine, const events::Sequence& sequence,
                        const EventPlotOptions& options) {
  plots::EventPlot plot;
  plot.title = options.title;
  plot.interval = options.interval;
  events::SequenceState state = engine.begin();
  const bool common_clock = engine.model().domain.from.has_value();
  for (std::size_t i = 0; i < std::min(options.events, sequence.times.size()); ++i) {
    const double time = sequence.times[i];
    if (i > 0 || common_clock) {
      const events::Forecast forecast = engine.forecast(state);
      const double gap = time - state.last_time;
      add_intensity(forecast.gap, state.last_time, gap, options.points, plot);
      plot.gap.push_back(gap > 0 ? gap : engine.model().domain.scale.tie_gap);
      plot.median.push_back(forecast.gap.quantile(0.5));
      plot.low.push_back(forecast.gap.quantile((1 - options.interval) / 2));
      plot.high.push_back(forecast.gap.quantile((1 + options.interval) / 2));
    }
    engine.observe(state, time, sequence.marks.empty() ? 0 : sequence.marks[i]);
    plot.events.push_back(time);
  }
  return plot;
}

void run_events_plot(EventPlotOptions options) {
  check_output(options.out, {options.model, options.data});
  plots::check_can_draw(options.out);
  events::EventEngine engine(events::EventModel::load(options.model));
  options.read.known_marks = engine.model().domain.mark_names;
  const events::EventData data = events::read_events({options.data}, options.read);
  for (const std::string& remark : data.remarks) note(remark);
  const events::Sequence& sequence = choose(data, options);
  if (options.title.empty()) options.title = "sequence " + sequence.name;
  const plots::EventPlot plot = follow(engine, sequence, options);
  if (plot.gap.empty()) throw Error(fmt::format("{}: a sequence of one event has nothing to draw", sequence.name));
  plots::draw(options.out, {1000, 650}, script_of(plot));
}

}  // namespace

void add_events_plot(CLI::App& events) {
  auto options = std::make_shared<EventPlotOptions>();
  CLI::App* verb = add_verb(events, "plot", "A picture of the predicted intensity along a sequence, with its events",
                            "cmanp events plot --model events.cmanp --data seen.txt --sequence 12 -o picture.png\n"
                            "gnuplot draws it (Debian: gnuplot-nox).");
  add_model(verb, options->model)->required();
  verb->add_option("--data", options->data, "A file of events")->required()->type_name("FILE");
  verb->add_option("--sequence", options->sequence, "Its name, or its line in a text file (default: the first)")
      ->type_name("NAME");
  verb->add_option("--events", options->events, "Events to draw, at most")
      ->check(CLI::Range(std::size_t{2}, std::size_t{100000}))
      ->capture_default_str()
      ->type_name("N");
  verb->add_option("--interval", options->interval, "Probability of the interval")
      ->check(number_between(0.001, 0.999999))
      ->capture_default_str()
      ->type_name("P");
  verb->add_option("--title", options->title, "A line above the picture")->type_name("TEXT");
  verb->add_option("--format", options->read.format, "text, csv, json or jodie (default: by the name's end)")
      ->check(CLI::IsMember({"text", "csv", "json", "jodie"}));
  add_event_columns(verb, options->read);
  verb->add_option("-o,--out", options->out, "The picture: .png, .svg or .pdf")->required()->type_name("FILE");
  verb->callback([options] { run_events_plot(*options); });
}

}  // namespace cmanp::cli
