// Real data, where they lie beside the project; skipped where they do not.
#include <gtest/gtest.h>

#include <map>

#include "images/pack.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::images {
namespace {

std::filesystem::path shared_data() { return std::filesystem::path(CMANP_SOURCE_DIR) / ".." / "shared" / "data"; }

#define SKIP_WITHOUT(path) \
  if (!std::filesystem::exists(path)) GTEST_SKIP() << (path).string() << " is not there"

TEST(RealData, EmnistHasItsClassesAndStandsUpright) {
  SKIP_WITHOUT(shared_data() / "emnist");
  const auto source = open_source(shared_data() / "emnist");
  source->load();
  ASSERT_EQ(source->size(), 43099U);
  std::map<std::uint16_t, std::size_t> tests;
  std::vector<double> row_sums(28), column_sums(28);  // of the ones: tall, not wide
  for (std::size_t i = 0; i < source->size(); ++i) {
    const Example example = source->read(i);
    if (example.split == Split::test) ++tests[example.label];
    if (example.label != 1) continue;
    for (std::size_t p = 0; p < 784; ++p) {
      row_sums[p / 28] += example.image.pixels[p];
      column_sums[p % 28] += example.image.pixels[p];
    }
  }
  EXPECT_EQ(tests.size(), 47U);
  for (const auto& [label, count] : tests) EXPECT_EQ(count, 100U) << label;
  EXPECT_GT(row_sums[4], 5 * column_sums[4]);
}

TEST(RealData, CelebaPacks) {
  SKIP_WITHOUT(shared_data() / "celeba10k");
  const testing::TemporaryFolder folder;
  std::filesystem::create_directories(folder / "img_align_celeba");
  std::string list;
  for (int i = 1; i <= 60; ++i) {
    const std::string name = "0000" + std::string(i < 10 ? "0" : "") + std::to_string(i) + ".jpg";
    std::filesystem::create_symlink(std::filesystem::canonical(shared_data() / "celeba10k/img_align_celeba" / name),
                                    folder / ("img_align_celeba/" + name));
    list += name + (i > 50 ? " 2\n" : " 0\n");
  }
  folder.write("list_eval_partition.txt", list);
  const auto source = open_source(folder.path());
  pack(*source, resolved(*source, {.resolution = 64}), folder / "p.images");
  const PackedImages packed(folder / "p.images");
  EXPECT_EQ(packed.header().count, 60U);
  EXPECT_EQ(packed.header().left_out, 0U);
  double sum = 0;
  for (std::size_t i = 0; i < 60; ++i) {
    for (const std::uint8_t pixel : packed.pixels(i)) sum += pixel;
  }
  EXPECT_NEAR(sum / static_cast<double>(60 * packed.header().picture_bytes()), 115,
              30);  // photographs, not noise or black
}

}  // namespace
}  // namespace cmanp::images
