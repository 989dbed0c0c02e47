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
  EXPECT_EQ(message("a.csv", "time,mark\nsoon,2\n"), "a.csv:2: time 'soon' is not a number");
  EXPECT_EQ(message("a.csv", "time,mark\nnan,2\n"), "a.csv:2: time 'nan' is not a finite number");
  EXPECT_EQ(message("a.csv", "time,mark\n-1,2\n"), "a.csv:2: time -1 is negative");
  EXPECT_EQ(message("a.csv", "time,mark\n,2\n"), "a.csv:2: the time is empty");
  EXPECT_EQ(message("a.csv", "sequence,time\na\xff,1\n"), "a.csv:2: sequence 'a\\xff' is no UTF-8");
  ReadOptions jodie;
  jodie.format = "jodie";
  EXPECT_EQ(message("a.csv", "time,mark\n1,2\n", jodie),
            "a.csv:1: not JODIE's header, user_id,item_id,timestamp,state_label,…");
  EXPECT_NE(message("missing/a.csv", "").find("cannot open"), std::string::npos);
}

TEST_F(EventFiles, CsvMayHaveDates) {
  ReadOptions options;
  options.time_column = "when";
  const EventData data = read("log.csv",
                              "when,sequence,mark\n1970-01-02T00:00:01Z,a,x\n1970-01-02 00:00:02.5,a,y\n"
                              "1970-01-02T01:00:03+01:00,a,x\n",
                              options);
  EXPECT_TRUE(data.dated);
  EXPECT_EQ(data.sequences[0].times, (Times{86401, 86402.5, 86403}));
  EXPECT_FALSE(read("a.csv", "time,mark\n5,x\n").dated);
  // One row of the file tells which is the day.
  EXPECT_EQ(read("log.csv", "when\n01/02/1970\n01/13/1970\n", options).sequences[0].times,
            (Times{86400, 12 * 86400.0}));
  EXPECT_EQ(message("log.csv", "when\n05/06/2024\n", options),
            "log.csv:2: time '05/06/2024' does not say whether the day or the month comes first: write it as "
            "2024-05-31");
  EXPECT_EQ(message("log.csv", "when\n1969-12-31\n", options),
            "log.csv:2: time '1969-12-31' is before 1970, where times begin");
  EXPECT_EQ(message("log.csv", "when\n2024-05-31\n5\n", options),
            "log.csv:3: a time that is a number after others that are dates");
}

TEST_F(EventFiles, CsvMayHaveOtherSeparatorsQuotesAndRemarks) {
  EXPECT_EQ(read("a.csv", "# a log\nsequence;time;mark\na;1,5;x\na;2;\"y; z\"\n").mark_names, (Names{"x", "y; z"}));
  EXPECT_EQ(read("a.csv", "sequence;time;mark\na;1,5;x\n").sequences[0].times, Times{1.5});
  EXPECT_EQ(read("a.csv", "time,mark\n1,\"y, z\"\n").mark_names, Names{"y, z"});
  const EventData tabs = read("a.tsv", "note\tsequence\ttime\tmark\tmore\n\ta\t1\tx\t\nn\ta\t2\ty\tm\n");
  EXPECT_EQ(tabs.sequences[0].times, (Times{1, 2}));
  EXPECT_EQ(tabs.mark_names, (Names{"x", "y"}));
}

TEST_F(EventFiles, CsvRowsMayComeInAnyOrder) {
  const EventData data = read("a.csv", "sequence,time,mark\na,5,1\nb,1,2\na,3,2\na,3,3\nb,2,1\na,4,1\n");
  EXPECT_EQ(data.sequences[0].times, (Times{3, 3, 4, 5}));
  EXPECT_EQ(data.sequences[0].marks, (Marks{1, 2, 0, 0}));  // a tie as it came
  EXPECT_EQ(data.sequences[0].name, "a");
  EXPECT_EQ(data.sequences[1].times, (Times{1, 2}));
  EXPECT_EQ(data.remarks, Names{"events of 1 of 2 sequences are not in the order of time: sorted by it"});
  EXPECT_EQ(read("a.csv", "time,mark\n2,c\n1,b\n1,a\n").sequences[0].marks, (Marks{0, 1, 2}));  // the newest first
  EXPECT_TRUE(read("a.csv", "time,mark\n1,a\n1,b\n2,c\n").remarks.empty());
}

TEST_F(EventFiles, ColumnsThatMayHaveBeenMeantAreNamed) {
  ReadOptions options;
  options.mark_column = "actoin";
  EXPECT_EQ(message("a.csv", "time,action\n1,2\n", options),
            "a.csv:1: no column 'actoin' (the header names 'time,action'); did you mean 'action'?");
  options = {};
  options.sequence_column = "user";
  EXPECT_EQ(message("a.csv", "time,mark\n1,2\n", options), "a.csv:1: no column 'user' (the header names 'time,mark')");
  const EventData data = read("a.csv", "user,time,action\nu,1,2\n");
  ASSERT_EQ(data.remarks.size(), 2U);
  EXPECT_TRUE(
      data.remarks[0].ends_with("a.csv:1: no column 'sequence': all events are one sequence (--sequence-column "
                                "names another; the header has 'user,time,action')"));
  EXPECT_TRUE(
      data.remarks[1].ends_with("a.csv:1: no column 'mark': events are of one kind (--mark-column names another; "
                                "the header has 'user,time,action')"));
  EXPECT_TRUE(read("a.csv", "time\n1\n").remarks.empty());
  EXPECT_TRUE(read("a.csv", "time,mark\n1,a\n").remarks.empty());
}

TEST_F(EventFiles, JsonHasAnObjectAnEvent) {
  ReadOptions options;
  options.sequence_column = "user";
  const std::string a = "{\"user\": \"ann\", \"time\": 5, \"mark\": \"x\", \"more\": {\"a\": 1}}",
                    b = "{\"user\": 7, \"mark\": true, \"time\": \"2.5\"}",
                    c = "{\"user\": \"ann\", \"time\": 3, \"mark\": \"y\"}";
  for (const auto& [name, content] :
       {std::pair("a.jsonl", a + "\n" + b + "\n\n" + c + "\n"), {"a.json", "[" + a + ",\n" + b + ", " + c + "]"}}) {
    const EventData data = read(name, content, options);
    ASSERT_EQ(data.sequences.size(), 2U);
    EXPECT_EQ(data.sequences[0].times, (Times{3, 5}));
    EXPECT_EQ(data.sequences[1].name, "7");
    EXPECT_EQ(data.mark_names, (Names{"true", "x", "y"}));
  }
  std::string list = "[" + a;  // longer than a line of a table may be
  for (int i = 0; i < 10'000; ++i) list += ", " + c;
  EXPECT_EQ(read("a.json", list + "]", options).events(), 10'001U);
  const EventData dated = read("a.jsonl", "{\"time\": \"1970-01-01T00:00:09Z\"}");
  EXPECT_TRUE(dated.dated && dated.remarks.empty());
  EXPECT_EQ(message("a.jsonl", a + "\n{\"user\": 1}\n", options), "a.jsonl:2: no 'time'");
  EXPECT_EQ(message("a.jsonl", a + "\n3\n", options), "a.jsonl:2: an event is an object, {\"time\": …}");
  EXPECT_EQ(message("a.json", "[" + a + ", {\"user\": null}]", options),
            "a.json: event 2: 'user' is neither text nor a number");
  EXPECT_EQ(message("a.jsonl", a + "\n{\"user\": \n", options),
            "a.jsonl:2: is not JSON: byte 9 is not what can stand there");
  EXPECT_EQ(message("a.jsonl", "\n"), "a.jsonl: holds no events");
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
