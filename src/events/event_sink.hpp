// Where the readers of event files put what they find, checked.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "events/read_events.hpp"

namespace cmanp::events {

class EventSink {
 public:
  explicit EventSink(const std::vector<std::string>& known_marks);

  // Rows of a table may come in any order and are sorted by time; a line that is a sequence is in order, or wrong.
  enum class Order { any, ascending };

  void begin_file(std::size_t file, Order order) {
    file_ = file;
    order_ = order;
  }

  // Something to tell whoever reads the file.
  void remark(std::string text) { data_.remarks.push_back(std::move(text)); }

  // The number of a new sequence.
  std::size_t begin_sequence(std::string name);

  // `where` ("file:line", and more where a line has several events) begins messages; `mark` null: there is none.
  // `dated`: the time was a date.
  void add(std::size_t sequence, double time, const std::string_view* mark, const std::string& where,
           bool dated = false);

  EventData finish();

 private:
  void sort_by_time();
  std::uint32_t number_of(std::string_view mark, const std::string& where);

  EventData data_;
  bool marks_are_known_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::size_t file_ = 0;
  Order order_ = Order::ascending;
  bool any_ = false, marked_ = false;
};

void read_text(const std::filesystem::path& path, EventSink& sink);
void read_csv(const std::filesystem::path& path, const ReadOptions& options, EventSink& sink);
void read_json_events(const std::filesystem::path& path, const ReadOptions& options, EventSink& sink);

// Whether a header is that of JODIE's files.
bool is_jodie(std::string_view header);

}  // namespace cmanp::events
