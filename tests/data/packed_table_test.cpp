// Packed tables: what goes in comes out, by group and x, and no file is believed.
#include "data/packed_table.hpp"

#include <gtest/gtest.h>

#include <cmanp/error.hpp>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include "data/series.hpp"
#include "files/safetensors.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::data {
namespace {

using testing::error_message;

constexpr const char* kRows =
    "when,station,wind,rain\n2024-01-02,\"b, the second\",3,\n2024-01-01,\"b, the second\",2,0.5\n"
    "2024-01-03,å,,1\n2024-01-01,å,5,2\n2024-01-02,å,6,3\n";
const Roles kRoles{"station", "when", {"wind", "rain"}};

class PackedTableTest : public ::testing::Test {
 protected:
  PackedTableTest() {
    std::ofstream(folder_ / "t.csv") << kRows;
    pack_table(read_data_table({folder_ / "t.csv"}), kRoles, packed_);
  }

  std::string bytes() const {
    std::ostringstream text;
    text << std::ifstream(packed_, std::ios::binary).rdbuf();
    return text.str();
  }

  std::string refused(const std::string& content) const {
    std::ofstream(folder_ / "odd.table", std::ios::binary) << content;
    return error_message([&] { open_packed_table(folder_ / "odd.table"); });
  }

  // A file that is whole, but for what `change` makes of it.
  template <class Change>
  std::string refused_with(const Change& change) const {
    const files::Safetensors file = files::Safetensors::open(packed_);
    files::Metadata metadata = file.metadata();
    files::TensorViews views = file.tensors();
    change(metadata, views);
    files::write_safetensors(folder_ / "odd.table", metadata, views);
    return error_message([&] { open_packed_table(folder_ / "odd.table"); });
  }

  testing::TemporaryFolder folder_;
  const std::filesystem::path packed_ = folder_ / "t.table";
};

TEST_F(PackedTableTest, HoldsWhatTheTableHolds) {
  ASSERT_TRUE(is_packed_table(packed_));
  EXPECT_FALSE(is_packed_table(folder_ / "t.csv"));
  const DataTable before = read_data_table({folder_ / "t.csv"}), after = read_data_table({packed_});
  ASSERT_EQ(after.rows(), 5U);
  ASSERT_EQ(after.columns.size(), 4U);
  for (std::size_t i = 0; i < after.columns.size(); ++i) {
    EXPECT_EQ(after.columns[i].name, before.columns[i].name);
    EXPECT_EQ(after.columns[i].type, before.columns[i].type);
    EXPECT_EQ(after.columns[i].missing, before.columns[i].missing);
    EXPECT_EQ(after.columns[i].categories, before.columns[i].categories);
  }
  EXPECT_EQ(after.where(2), packed_.string() + ": row 3");
  EXPECT_EQ(read_data_table({packed_}, {.columns = {"wind"}}).columns.size(), 1U);
}

// Columns in files aside, as those of tables that are larger than memory, whatever the order of the rows.
TEST_F(PackedTableTest, IsTheSameFromFilesAside) {
  const std::string in_memory = bytes();
  const DataTable aside = read_data_table({folder_ / "t.csv"}, {.aside = folder_.path()});
  EXPECT_TRUE(aside.column("wind").values.mapped());
  pack_table(aside, kRoles, packed_);
  EXPECT_EQ(bytes(), in_memory);
  const auto files = std::filesystem::directory_iterator(folder_.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 2);  // none is left
  EXPECT_EQ(error_message([&] { read_data_table({folder_ / "t.csv"}, {.aside = folder_ / "none"}); }),
            (folder_ / "none").string() + ": cannot make a file aside: No such file or directory");
}

// Groups that take turns and are unsorted, rows without a group or an x, and rows of the same.
TEST_F(PackedTableTest, RowsGoByGroupAndX) {
  std::ofstream(folder_ / "t.csv") << "g,x,y\n2,3,0\n1,5,1\n,1,2\n2,1,3\n1,,4\n1,5,5\n1,2,6\n,0,7\n2,2,8\n1,1,9\n";
  pack_table(read_data_table({folder_ / "t.csv"}), {"g", "x", {"y"}}, packed_);
  EXPECT_EQ(open_packed_table(packed_).column("y").values, (Values{9, 6, 1, 5, 4, 3, 8, 0, 7, 2}));
  pack_table(read_data_table({folder_ / "t.csv"}), {"", "x", {"y"}}, packed_);
  EXPECT_EQ(open_packed_table(packed_).column("y").values, (Values{7, 2, 3, 9, 6, 8, 0, 1, 5, 4}));
}

TEST(ValuesAside, GrowBeyondTheirFirstPage) {
  const testing::TemporaryFolder folder;
  Values values(std::make_shared<files::GrowingFile>(folder.path()));
  for (int i = 0; i < 400000; ++i) values.push_back(i);
  Values copy = values;
  copy.push_back(-1);  // of its own then
  EXPECT_EQ(values.size(), 400000U);
  EXPECT_EQ(copy.size(), 400001U);
  for (int i = 0; i < 400000; i += 997) EXPECT_EQ(values[static_cast<std::size_t>(i)], i);
}

TEST_F(PackedTableTest, SeriesArePartsOfTheFile) {
  const SeriesSet before = series_of(read_data_table({folder_ / "t.csv"}), kRoles);
  const SeriesSet after = series_of(read_data_table({packed_}), kRoles);
  ASSERT_EQ(after.series.size(), before.series.size());
  EXPECT_EQ(after.step, before.step);
  EXPECT_EQ(after.calendar.times(), before.calendar.times());
  for (std::size_t i = 0; i < after.series.size(); ++i) {
    EXPECT_EQ(after.series[i].group, before.series[i].group);
    EXPECT_TRUE(after.series[i].x == before.series[i].x) << i;
    EXPECT_TRUE(after.series[i].values == before.series[i].values) << i;
    EXPECT_EQ(after.series[i].missing, before.series[i].missing);
    EXPECT_FALSE(before.series[i].x.mapped());
    EXPECT_EQ(after.series[i].x.mapped(), after.series[i].missing.empty()) << i;
  }
}

TEST_F(PackedTableTest, WhatIsAddedLeavesTheFileAlone) {
  SeriesSet set = series_of(read_data_table({packed_}), kRoles);
  Values& x = set.series[0].x;
  ASSERT_TRUE(x.mapped());
  x.push_back(7);
  EXPECT_FALSE(x.mapped());
  EXPECT_EQ(x.size(), 3U);
  EXPECT_EQ(x.back(), 7);
  EXPECT_EQ(series_of(read_data_table({packed_}), kRoles).series[0].x.size(), 2U);
}

TEST_F(PackedTableTest, RefusesWhatIsDamaged) {
  const std::string whole = bytes();
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    EXPECT_NE(refused(whole.substr(0, length)), "") << length;
  }
  for (std::size_t at = 8; at < whole.size(); at += 3) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    EXPECT_NE(refused(changed), "") << at;
  }
}

TEST_F(PackedTableTest, RefusesWhatNoTableHolds) {
  const auto expect = [](const std::string& found, const std::string& wanted) {
    EXPECT_NE(found.find("odd.table"), std::string::npos) << found;
    EXPECT_NE(found.find(wanted), std::string::npos) << found;
  };
  expect(refused_with([](auto& metadata, auto&) { metadata["format"] = "cmanp-model"; }), "is no table: its format is");
  expect(refused_with([](auto& metadata, auto&) { metadata.erase("format"); }), "is no packed table");
  expect(refused_with([](auto& metadata, auto&) { metadata["format_version"] = "2"; }), "version '2'");
  expect(refused_with([](auto& metadata, auto&) { metadata["type.1"] = "colour"; }), "a column of type 'colour'");
  expect(refused_with([](auto& metadata, auto&) { metadata["name.1"] = "when"; }), "names of columns");
  expect(refused_with([](auto& metadata, auto&) { metadata.erase("name.3"); }), "belongs to no column");
  expect(refused_with([](auto&, auto& views) { views.erase("ends.1"); }), "no ends of column 1");
  const std::vector<double> few{1, 2}, beyond{0, 1, 2, 0, 0}, half{0, 0.5, 1, 0, 0}, endless{0, INFINITY, 1, 0, 0};
  const auto instead = [&](const char* name, const std::vector<double>& values) {
    return refused_with([&](auto&, auto& views) { views[name] = files::view_of(std::span(values), {values.size()}); });
  };
  expect(instead("values.2", few), "different lengths");
  expect(instead("values.1", beyond), "in column 'station'");
  expect(instead("values.1", half), "in column 'station'");
  expect(instead("values.2", endless), "in column 'wind'");
  const std::vector<std::uint64_t> far{3, 1000}, back{3, 1};
  for (const auto& ends : {far, back}) {
    expect(refused_with([&](auto&, auto& views) { views["ends.1"] = files::view_of(std::span(ends), {2}); }),
           "in the words of column 1");
  }
}

TEST_F(PackedTableTest, StandsForItself) {
  EXPECT_NE(error_message([&] {
              read_data_table({packed_, folder_ / "t.csv"});
            }).find("stands for itself"),
            std::string::npos);
  EXPECT_NE(error_message([&] {
              read_data_table({packed_}, {.types = {{"wind", ColumnType::category}}});
            }).find("'wind' was packed as number, not category"),
            std::string::npos);
  EXPECT_NE(error_message([&] { read_data_table({packed_}, {.columns = {"wnd"}}); }).find("did you mean 'wind'?"),
            std::string::npos);
}

}  // namespace
}  // namespace cmanp::data
