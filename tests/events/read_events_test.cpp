#include "events/read_events.hpp"

#include <gtest/gtest.h>

#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::events {
namespace {

using testing::error_message;
using testing::TemporaryFolder;
using Times = std::vector<double>;
using Marks = std::vector<std::uint32_t>;
using Names = std::vector<std::string>;

class EventFiles : public ::testing::Test {
 protected:
  EventData read(const std::string& name, std::string_view content, const ReadOptions& options = {}) {
    return read_events({folder_.write(name, content)}, options);
  }

  // The error's message, with the folder taken off its beginning.
  std::string message(const std::string& name, std::string_view content, const ReadOptions& options = {}) {
    const std::string text = error_message([&] { read(name, content, options); });
    const std::string prefix = folder_.path().string() + "/";
    return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
  }

  TemporaryFolder folder_;
};

TEST_F(EventFiles, TextHasASequenceALine) {
  const EventData data = read("a.txt", "0:10 1.5:2 1.5:10\n\n7:3\r\n");
  ASSERT_EQ(data.sequences.size(), 2);
  EXPECT_EQ(data.sequences[0].times, (Times{0, 1.5, 1.5}));  // a tie
  EXPECT_EQ(data.mark_names, (Names{"2", "3", "10"}));       // in the order of numbers
  EXPECT_EQ(data.sequences[0].marks, (Marks{2, 0, 2}));
  EXPECT_EQ(data.sequences[1].times, Times{7});  // one event is a sequence
  EXPECT_EQ(data.events(), 4);
}

TEST_F(EventFiles, TextWithoutMarks) {
  const EventData data = read("a.txt", "0.5 1 2e3");
  EXPECT_FALSE(data.marked());
  EXPECT_EQ(data.sequences[0].times, (Times{0.5, 1, 2000}));
  EXPECT_TRUE(data.sequences[0].marks.empty());
}

TEST_F(EventFiles, TextIsRefusedWithItsPlace) {
  EXPECT_EQ(message("a.txt", "1 2\n3 2\n"),
            "a.txt:2: event 2: time 2 comes after 3; a sequence's events must be in the order of time");
  EXPECT_EQ(message("a.txt", "-1 2\n"), "a.txt:1: event 1: time -1 is negative");
  EXPECT_EQ(message("a.txt", "1 two\n"), "a.txt:1: event 2: time 'two' is not a finite number");
  EXPECT_EQ(message("a.txt", "1 nan\n"), "a.txt:1: event 2: time 'nan' is not a finite number");
  EXPECT_EQ(message("a.txt", "1:2 2\n"), "a.txt:1: event 2: an event without a mark after others with one");
  EXPECT_EQ(message("a.txt", "1 2:2\n"), "a.txt:1: event 2: an event with a mark after others without");
  EXPECT_EQ(message("a.txt", "1:\n"), "a.txt:1: event 1: the mark is empty");
  EXPECT_EQ(message("a.txt", "\n \n"), "a.txt: holds no events");
}

TEST_F(EventFiles, JodieHasASequenceAUser) {
  const EventData data = read("wikipedia.csv",
                              "user_id,item_id,timestamp,state_label,comma_separated_list_of_features\n"
                              "0,5,0.0,0,0.1,-0.2,0.3\n1,5,2.0,0,0.1,0,0\n0,12,36.0,1,0,0,0\n1,7,36.0,0,0,0,0\n");
  ASSERT_EQ(data.sequences.size(), 2);
  EXPECT_EQ(data.sequences[0].name, "0");
  EXPECT_EQ(data.sequences[0].times, (Times{0, 36}));
  EXPECT_EQ(data.mark_names, (Names{"5", "7", "12"}));
  EXPECT_EQ(data.sequences[1].marks, (Marks{0, 1}));
}

TEST_F(EventFiles, CsvColumnsAreNamedByTheUser) {
  ReadOptions options;
  options.sequence_column = "patient";
  options.time_column = "day";
  options.mark_column = "visit";
  const EventData data =
      read("visits.csv", "day,ward,patient,visit\n1,a,Ann,check\n1,b,Bob,\"x-ray\"\n4,a,Ann,blood\n", options);
  ASSERT_EQ(data.sequences.size(), 2);
  EXPECT_EQ(data.sequences[0].name, "Ann");
  EXPECT_EQ(data.sequences[0].times, (Times{1, 4}));
  EXPECT_EQ(data.mark_names, (Names{"blood", "check", "x-ray"}));
}

TEST_F(EventFiles, CsvNeedsATimeOnly) {
  const EventData data = read("a.csv", "time\n1\n2\n2\n");
  ASSERT_EQ(data.sequences.size(), 1);
  EXPECT_EQ(data.sequences[0].times, (Times{1, 2, 2}));
  EXPECT_FALSE(data.marked());
}

TEST_F(EventFiles, CsvIsRefusedWithItsPlace) {
  EXPECT_EQ(message("a.csv", ""), "a.csv: empty: the first line must name the columns");
  EXPECT_EQ(message("a.csv", "t,mark\n1,2\n"),
            "a.csv:1: no column 'time' (the header names 't,mark'); say which one holds the time");
  EXPECT_EQ(message("a.csv", "time,time\n"), "a.csv:1: column 'time' is there twice");
  EXPECT_EQ(message("a.csv", "time,mark\n1,2\n3\n"), "a.csv:3: 1 fields, the header has 2");
  EXPECT_EQ(message("a.csv", "time,mark\n1,2\n3,\n"), "a.csv:3: the mark is empty");
  EXPECT_EQ(message("a.csv", "sequence,time\na,1\nb,0\na,0.5\n"),
            "a.csv:4: time 0.5 comes after 1; a sequence's events must be in the order of time");
  EXPECT_EQ(message("a.csv", "sequence,time\na\xff,1\n"), "a.csv:2: sequence 'a\\xff' is no UTF-8");
  ReadOptions jodie;
  jodie.format = "jodie";
  EXPECT_EQ(message("a.csv", "time,mark\n1,2\n", jodie),
            "a.csv:1: not JODIE's header, user_id,item_id,timestamp,state_label,…");
  EXPECT_NE(message("missing/a.csv", "").find("cannot open"), std::string::npos);
}

TEST_F(EventFiles, FilesShareTheirMarks) {
  const auto first = folder_.write("train.txt", "0:a 1:c\n"), second = folder_.write("test.txt", "0:b 1:a\n");
  const EventData data = read_events({first, second});
  EXPECT_EQ(data.mark_names, (Names{"a", "b", "c"}));
  EXPECT_EQ(data.sequences[1].marks, (Marks{1, 0}));
  EXPECT_EQ(data.sequences[1].file, 1);
}

TEST_F(EventFiles, AModelsMarksAreTheOnlyOnes) {
  ReadOptions options;
  options.known_marks = {"b", "a"};
  EXPECT_EQ(read("a.txt", "0:a 1:b\n", options).sequences[0].marks, (Marks{1, 0}));
  EXPECT_EQ(message("a.txt", "0:a 1:c\n", options), "a.txt:1: event 2: mark 'c' is none of the 2 that the model knows");
  EXPECT_EQ(message("a.txt", "0 1\n", options), "a.txt:1: event 1: no mark, but the model needs one");
}

}  // namespace
}  // namespace cmanp::events
