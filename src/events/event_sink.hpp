// Where the readers of event files put what they find, checked.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "events/read_events.hpp"

namespace cmanp::events {

class EventSink {
 public:
  explicit EventSink(const std::vector<std::string>& known_marks);

  void begin_file(std::size_t file) { file_ = file; }

  // The number of a new sequence.
  std::size_t begin_sequence(std::string name);

  // `where` ("file:line", and more where a line has several events) begins messages; `mark` null: there is none.
  void add(std::size_t sequence, std::string_view time, const std::string_view* mark, const std::string& where);

  EventData finish();

 private:
  std::uint32_t number_of(std::string_view mark, const std::string& where);

  EventData data_;
  bool marks_are_known_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::size_t file_ = 0;
  bool any_ = false, marked_ = false;
};

void read_text(const std::filesystem::path& path, EventSink& sink);
void read_csv(const std::filesystem::path& path, const ReadOptions& options, EventSink& sink);

// Whether a header is that of JODIE's files.
bool is_jodie(std::string_view header);

}  // namespace cmanp::events
