#include "files/last_line.hpp"

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace cmanp::testing {
namespace {

using files::last_line;

TEST(LastLine, OfAllThatIsThereOrOfWhatCameLater) {
  const TemporaryFolder folder;
  EXPECT_EQ(last_line(folder / "none"), "");
  const auto file = folder.write("log", "one\ntwo\n\n");
  EXPECT_EQ(last_line(file), "two");
  EXPECT_EQ(last_line(file, 9), "");
  const std::string before(10000, '.');
  const auto longer = folder.write("long", before + "\n" + "end");
  EXPECT_EQ(last_line(longer), "end");
  EXPECT_EQ(last_line(longer, before.size() + 1), "end");
}

}  // namespace
}  // namespace cmanp::testing
