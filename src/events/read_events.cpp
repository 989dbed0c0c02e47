#include "events/read_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmanp/error.hpp>
#include <numeric>
#include <utility>

#include "base/lower.hpp"
#include "events/event_sink.hpp"
#include "files/quote.hpp"
#include "files/utf8.hpp"

namespace cmanp::events {
namespace {

constexpr std::size_t kMostMarks = 1'000'000;
constexpr std::size_t kLongestMark = 1000;

bool whole_number(const std::string& text, long long& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// The place of each name once they are in order: of numbers where all are numbers, else of text.
std::vector<std::uint32_t> sorted_places(const std::vector<std::string>& names) {
  std::vector<long long> numbers(names.size());
  bool all_numbers = true;
  for (std::size_t i = 0; i < names.size(); ++i) all_numbers = all_numbers && whole_number(names[i], numbers[i]);
  std::vector<std::uint32_t> order(names.size()), places(names.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return all_numbers && numbers[a] != numbers[b] ? numbers[a] < numbers[b] : names[a] < names[b];
  });
  for (std::uint32_t place = 0; place < order.size(); ++place) places[order[place]] = place;
  return places;
}

std::string format_of(const std::filesystem::path& file) {
  const std::string end = base::lower(file.extension().string());
  if (end == ".csv" || end == ".tsv") return "csv";
  return end == ".json" || end == ".jsonl" || end == ".ndjson" ? "json" : "text";
}

}  // namespace

EventSink::EventSink(const std::vector<std::string>& known_marks) : marks_are_known_(!known_marks.empty()) {
  data_.mark_names = known_marks;
  for (std::uint32_t i = 0; i < known_marks.size(); ++i) numbers_[known_marks[i]] = i;
}

std::size_t EventSink::begin_sequence(std::string name) {
  data_.sequences.push_back({std::move(name), {}, {}, file_});
  return data_.sequences.size() - 1;
}

std::uint32_t EventSink::number_of(std::string_view mark, const std::string& where) {
  if (mark.empty()) throw Error(fmt::format("{}: the mark is empty", where));
  if (mark.size() > kLongestMark) throw Error(fmt::format("{}: a mark of {} bytes", where, mark.size()));
  const auto [found, is_new] =
      numbers_.try_emplace(std::string(mark), static_cast<std::uint32_t>(data_.mark_names.size()));
  if (!is_new) return found->second;
  if (marks_are_known_) {
    throw Error(fmt::format("{}: mark {} is none of the {} that the model knows", where, files::quote(mark),
                            data_.mark_names.size()));
  }
  if (!files::is_utf8(found->first)) throw Error(fmt::format("{}: mark {} is no UTF-8", where, files::quote(mark)));
  if (data_.mark_names.size() == kMostMarks) throw Error(fmt::format("{}: more than {} marks", where, kMostMarks));
  data_.mark_names.emplace_back(mark);
  return found->second;
}

void EventSink::add(std::size_t sequence, double time, const std::string_view* mark, const std::string& where,
                    bool dated) {
  if (time < 0) throw Error(fmt::format("{}: time {} is negative", where, time));
  Sequence& to = data_.sequences[sequence];
  if (order_ == Order::ascending && !to.times.empty() && time < to.times.back()) {
    throw Error(fmt::format("{}: time {} comes after {}; a sequence's events must be in the order of time", where, time,
                            to.times.back()));
  }
  if (any_ && data_.dated != dated) {
    throw Error(fmt::format("{}: a time that is {} after others that are {}", where, dated ? "a date" : "a number",
                            dated ? "numbers" : "dates"));
  }
  if (any_ && marked_ != (mark != nullptr)) {
    throw Error(fmt::format("{}: an event {} a mark after others {}", where, mark == nullptr ? "without" : "with",
                            mark == nullptr ? "with one" : "without"));
  }
  if (mark == nullptr && marks_are_known_) throw Error(fmt::format("{}: no mark, but the model needs one", where));
  any_ = true;
  marked_ = mark != nullptr;
  data_.dated = dated;
  if (mark != nullptr) to.marks.push_back(number_of(*mark, where));
  to.times.push_back(time);
}

// Ties stay in the order of the file; of one that has the newest first, in the other order.
void EventSink::sort_by_time() {
  std::size_t sorted = 0;
  for (Sequence& sequence : data_.sequences) {
    if (std::is_sorted(sequence.times.begin(), sequence.times.end())) continue;
    ++sorted;
    std::vector<std::size_t> order(sequence.times.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (std::is_sorted(sequence.times.rbegin(), sequence.times.rend())) std::reverse(order.begin(), order.end());
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return sequence.times[a] < sequence.times[b]; });
    const Sequence before = std::exchange(sequence, {sequence.name, {}, {}, sequence.file});
    for (const std::size_t i : order) {
      sequence.times.push_back(before.times[i]);
      if (!before.marks.empty()) sequence.marks.push_back(before.marks[i]);
    }
  }
  if (sorted == 0) return;
  remark(fmt::format("events of {} of {} sequences are not in the order of time: sorted by it", sorted,
                     data_.sequences.size()));
}

EventData EventSink::finish() {
  sort_by_time();
  if (!marks_are_known_) {
    const std::vector<std::uint32_t> places = sorted_places(data_.mark_names);
    std::vector<std::string> names(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) names[places[i]] = data_.mark_names[i];
    data_.mark_names = std::move(names);
    for (Sequence& sequence : data_.sequences) {
      for (std::uint32_t& mark : sequence.marks) mark = places[mark];
    }
  }
  return std::move(data_);
}

EventData read_events(const std::vector<std::filesystem::path>& files, const ReadOptions& options) {
  EventSink sink(options.known_marks);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string format = options.format.empty() ? format_of(files[i]) : options.format;
    sink.begin_file(i, format == "text" ? EventSink::Order::ascending : EventSink::Order::any);
    if (format == "text") {
      read_text(files[i], sink);
    } else if (format == "json") {
      read_json_events(files[i], options, sink);
    } else {
      read_csv(files[i], options, sink);
    }
  }
  EventData data = sink.finish();
  if (data.events() == 0) {
    throw Error(fmt::format("{}: holds no events", files.empty() ? "no file" : files.front().string()));
  }
  return data;
}

}  // namespace cmanp::events
