#include "files/json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::files {
namespace {

using testing::error_message;

std::string message(const std::string& text) {
  return error_message([&] { parse_json(text, "f"); });
}

std::string nested(std::size_t depth, const std::string& open, const std::string& close) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += open;
  text += "1";
  for (std::size_t i = 0; i < depth; ++i) text += close;
  return text;
}

TEST(Json, IsParsedInItsOrder) {
  EXPECT_EQ(parse_json(R"({"b": [1, 2.5, null], "a": {"c": "x"}})", "f").dump(), R"({"b":[1,2.5,null],"a":{"c":"x"}})");
  EXPECT_EQ(parse_json(R"([{"a": 1}, {"a": 2}])", "f").size(), 2U);  // the same key in another object
}

TEST(Json, ToAnyDepthThatIsUsedAndNoMore) {
  EXPECT_EQ(message(nested(kDeepestJson, "[", "]")), "(no error)");
  EXPECT_EQ(message(nested(kDeepestJson, "{\"k\":", "}")), "(no error)");
  const std::string deep = "f is JSON that is nested more than 32 deep";
  for (const std::size_t depth : {kDeepestJson + 1, std::size_t{1'000'000}}) {
    EXPECT_EQ(message(nested(depth, "[", "]")), deep);
    EXPECT_EQ(message(nested(depth, "{\"k\":", "}")), deep);
    EXPECT_EQ(message(nested(depth, "[", "")), deep);
    EXPECT_FALSE(try_parse_json(nested(depth, "[", "]")));
  }
}

TEST(Json, AKeyStandsOnceInAnObject) {
  EXPECT_EQ(message(R"({"a": 1, "b": 2, "a": 3})"), "f is JSON in which 'a' stands there twice");
  EXPECT_EQ(message(R"([{"x": {"\u001b": 1, "\u001b": 1}}])"), "f is JSON in which '\\x1b' stands there twice");
}

TEST(Json, ManyKeysAndValuesAreRefusedBeforeTheyTakeLong) {
  std::string keys = "{\"k\": 0";
  for (std::size_t i = 0; i < kMostJsonKeys; ++i) keys += ",\"" + std::to_string(i) + "\": 0";
  EXPECT_EQ(message(keys + "}"), "f is JSON with more than 1000 keys in one object");
  std::string values = "[0";
  for (std::size_t i = 0; i < kMostJsonValues; ++i) values += ",0";
  EXPECT_EQ(message(values + "]"), "f is JSON of more than 10000000 values");
  EXPECT_EQ(message(std::string(kLongestJson + 1, ' ')), "f is JSON of more than 100000000 bytes");
}

TEST(Json, WhatIsNoneIsToldByItsPlaceAndWithoutItsBytes) {
  EXPECT_EQ(message(""), "f is not JSON: byte 1 is not what can stand there");
  EXPECT_EQ(message("{\"a\": \x1b[31m}"), "f is not JSON: byte 7 is not what can stand there");
  EXPECT_EQ(message("[\"\xff\"]"), "f is not JSON: byte 3 is not what can stand there");
  EXPECT_EQ(message("[1e999]"), "f is not JSON: a number in it is too large");
  EXPECT_EQ(message("{} {}"), "f is not JSON: byte 4 is not what can stand there");
  EXPECT_EQ(message("{\n\n\"a\" 1}"), "f is not JSON: byte 8, in line 3, is not what can stand there");
}

TEST(Json, CommentsStandWhereTheyAreWelcome) {
  const testing::TemporaryFolder folder;
  const auto path = folder.write("s.json", "// of mine\n{\"a\": 1}\n");
  EXPECT_EQ(read_json(path, JsonComments::welcome)["a"], 1);
  EXPECT_EQ(error_message([&] { read_json(path); }),
            path.string() + " is not JSON: byte 1 is not what can stand there");
  EXPECT_EQ(error_message([&] { read_json(folder / "none"); }),
            (folder / "none").string() + ": cannot open: No such file or directory");
}

// Every reader goes through the door: nobody else calls the parser.
TEST(Json, HasOneDoor) {
  const std::filesystem::path source = std::filesystem::path(CMANP_SOURCE_DIR) / "src";
  const std::regex parser(R"([jJ]son::(parse|accept|sax_parse|from_\w+)\(|>> *(json|document)\b)");
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source)) {
    const std::string name = entry.path().lexically_relative(source).string();
    if (!name.ends_with("pp") || name == "files/json.cpp") continue;
    if (name == "files/safetensors_header.cpp") continue;  // takes event by event, and keeps nothing that is nested
    ++files;
    EXPECT_FALSE(std::regex_search(testing::read_file(entry.path()), parser))
        << name << " parses JSON by itself; files::parse_json has the limits";
  }
  EXPECT_GT(files, 100U);
}

}  // namespace
}  // namespace cmanp::files
