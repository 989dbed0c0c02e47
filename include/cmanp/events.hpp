// Sequences of events: when the next one comes and of which kind, by a Constant Memory Hawkes Process. Any number of
// sequences, each in memory and at a price for an event that do not grow with the number of its events.
#pragma once

#include <cmanp/export.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cmanp {

namespace events {
struct EventModel;
}

// A mixture of log-normals: what a model says of the time to the next event. In double.
struct CMANP_API LogNormalMixture {
  std::vector<double> weights;     // sum to one
  std::vector<double> means;       // of the logarithm
  std::vector<double> deviations;  // of the logarithm, above zero

  double log_density(double time) const;   // time above zero
  double cdf(double time) const;           // probability of an event by then
  double log_survival(double time) const;  // log probability of none
  double intensity(double time) const;     // density given that none came yet
  double quantile(double share) const;     // the time by which the next event comes with probability `share`
  double mean_up_to(double limit) const;   // of the time to the next event or the limit, whichever comes first
};

// Of the next event of a sequence.
struct EventForecast {
  LogNormalMixture gap;       // the time from the last event on
  std::vector<double> marks;  // probabilities, by mark; none where events have no marks
};

// A trained model of events, read from one file: immutable, cheap to copy, safe to use from many threads.
class CMANP_API EventModel {
 public:
  static EventModel load(const std::filesystem::path& path);
  // The same from memory; `name` stands for the file in error messages.
  static EventModel from_bytes(std::span<const std::byte> bytes, const std::string& name = "model");

  // 32 hexadecimal digits; saved states name the model they belong to by it.
  const std::string& hash() const;
  std::size_t parameters() const;

  // The kinds of events by number; none where events are not told apart.
  const std::vector<std::string>& mark_names() const;
  std::optional<std::uint32_t> mark_number(const std::string& name) const;

  // Where every sequence's clock begins; none: at its first event.
  std::optional<double> clock_start() const;
  // The longest time between two events in what it learnt from: a limit for the mean of a forecast.
  double longest_gap() const;

  std::size_t memory() const;                // of its weights, in bytes
  std::size_t memory_of_a_sequence() const;  // of what a stream keeps of each, its name aside

 private:
  friend class EventStream;

  explicit EventModel(std::shared_ptr<const events::EventModel> model);

  std::shared_ptr<const events::EventModel> model_;
};

// Sequences of events that come in, by name. A stream belongs to one thread at a time; many may share a model.
class CMANP_API EventStream {
 public:
  explicit EventStream(EventModel model);
  EventStream(const EventStream& other);  // a deep copy, independent from then on
  EventStream& operator=(const EventStream& other);
  EventStream(EventStream&&) noexcept;
  EventStream& operator=(EventStream&&) noexcept;
  ~EventStream();

  // Takes in an event; a sequence begins with its first. `mark` is ignored by a model without marks. Throws Error, and
  // keeps nothing of the call, where the time is not finite, negative or before the sequence's last, where there is no
  // such mark, or where a new name is not UTF-8.
  void observe(const std::string& sequence, double time, std::uint32_t mark = 0);

  // What comes next. Of a sequence that it does not know: what would come first.
  EventForecast forecast(const std::string& sequence);

  std::size_t size() const;                                 // how many sequences it knows
  std::vector<std::string> sequences() const;               // their names, in the order of names
  std::uint64_t events(const std::string& sequence) const;  // taken in; 0 of a sequence that it does not know
  std::optional<double> last_time(const std::string& sequence) const;  // of its last event

  // Lets go of a sequence; whether there was one.
  bool forget(const std::string& sequence);

  // All that it knows as one file, replaced atomically; it can only be loaded into the model it was made with.
  void save(const std::filesystem::path& path) const;
  static EventStream load(EventModel model, const std::filesystem::path& path);

  // The same without a file: the very bytes that save() writes. `name` stands for the file in error messages.
  std::vector<std::byte> to_bytes() const;
  static EventStream from_bytes(EventModel model, std::span<const std::byte> bytes, const std::string& name = "states");

  const EventModel& model() const;

 private:
  struct Inside;

  std::unique_ptr<Inside> inside_;
};

}  // namespace cmanp
