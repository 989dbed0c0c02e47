#include "events/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/normal_source.hpp"

namespace cmanp::events {
namespace {

struct Event {
  double time;
  std::uint32_t mark;
};

// A Hawkes process is a forest: events that come by themselves, and those that each one brings about.
class Forest {
 public:
  Forest(const Cascades& process, base::NormalSource& random) : process_(process), random_(random) {}

  std::vector<Event> grow() {
    std::vector<Event> events;
    for (double time = wait(process_.rate); time < process_.until; time += wait(process_.rate)) {
      events.push_back({time, any_mark()});
    }
    for (std::size_t i = 0; i < events.size(); ++i) add_children(events, events[i]);
    std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.time < b.time; });
    return events;
  }

 private:
  double wait(double rate) { return -std::log(1 - random_.uniform()) / rate; }

  std::uint32_t any_mark() {
    if (process_.marks == 0) return 0;
    return static_cast<std::uint32_t>(random_.uniform() * static_cast<double>(process_.marks));
  }

  // As many as waits of mean one fit into `jump`: a Poisson number.
  void add_children(std::vector<Event>& events, const Event parent) {
    for (double used = wait(1); used < process_.jump; used += wait(1)) {
      const double time = parent.time + wait(process_.decay);
      const bool alike = random_.uniform() < process_.loyalty;
      const std::uint32_t mark = alike ? parent.mark : any_mark();
      if (time < process_.until) events.push_back({time, mark});
    }
  }

  const Cascades& process_;
  base::NormalSource& random_;
};

}  // namespace

Sequence simulate(const Cascades& process, std::uint64_t seed, std::uint64_t number) {
  base::NormalSource random(seed, number);
  std::vector<Event> events;
  while (events.empty()) events = Forest(process, random).grow();
  Sequence sequence;
  sequence.name = std::to_string(number + 1);
  for (const Event& event : events) {
    sequence.times.push_back(event.time);
    if (process.marks > 0) sequence.marks.push_back(event.mark);
  }
  return sequence;
}

}  // namespace cmanp::events
