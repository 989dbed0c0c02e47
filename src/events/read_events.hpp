// Files of event sequences, in four formats:
//   text   a sequence a line, an event `time` or `time:mark`, blanks between
//   jodie  CSV: user_id,item_id,timestamp,state_label,features…; a sequence a user, a mark an item
//   csv    CSV with a header; which columns hold sequence, time and mark is the user's to say. Commas, semicolons or
//          tabs part them
//   json   an object an event, with the same names: one a line, or all in a list
// Times must ascend within a sequence of text (ties are fine); rows of other formats are sorted. They are numbers that
// are not negative or, but for text, dates: seconds since 1970 then. Marks are there for all events or for none. What
// is wrong is said with file and line.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "events/sequences.hpp"

namespace cmanp::events {

struct ReadOptions {
  std::string format;  // "text", "jodie", "csv", "json"; empty: by the name's end and the header
  std::string sequence_column = "sequence";
  std::string time_column = "time";
  std::string mark_column = "mark";
  std::vector<std::string> known_marks = {};  // where not empty, there are no others, and this is their order
};

// Sequences of all files, with marks numbered alike: in the order of numbers where all are numbers, else of names.
EventData read_events(const std::vector<std::filesystem::path>& files, const ReadOptions& options = {});

}  // namespace cmanp::events
