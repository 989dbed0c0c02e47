// Packed pictures: whole or refused, broken pictures named and counted, the cache remade when it must be.
#include "images/pack.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "images/expect_part.hpp"
#include "images/make_pictures.hpp"
#include "images/resize.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::images {
namespace {

using testing::error_message;
using testing::expect_part;
using testing::TemporaryFolder;
namespace fs = std::filesystem;

PackedHeader pack_folder(const fs::path& data, const fs::path& file, const DataOptions& options = {},
                         const PackEvents& events = {}) {
  const auto source = open_source(data, options);
  pack(*source, resolved(*source, options), file, events);
  return PackedImages(file).header();
}

TEST(Pack, HoldsPixelsClassesAndSplits) {
  const TemporaryFolder folder;
  testing::write_idx_set(folder / "idx", 700, 5);  // more than are read at once
  const PackedHeader header = pack_folder(folder / "idx", folder / "p.images");
  EXPECT_EQ(header.count, 1400U);
  EXPECT_EQ(header.height, 5U);
  EXPECT_EQ(header.channels, 1U);
  EXPECT_EQ(header.left_out, 0U);
  const PackedImages packed(folder / "p.images");
  const auto source = open_source(folder / "idx");
  source->load();
  for (const std::size_t i : {0U, 511U, 512U, 699U, 700U, 1399U}) {
    const Example example = source->read(i);
    EXPECT_TRUE(std::equal(example.image.pixels.begin(), example.image.pixels.end(), packed.pixels(i).begin())) << i;
    EXPECT_EQ(packed.label(i), example.label) << i;
    EXPECT_EQ(packed.split(i), example.split) << i;
  }
}

TEST(Pack, ResizesAndColours) {
  const TemporaryFolder folder;
  testing::write_idx_set(folder / "idx", 3, 9);
  pack_folder(folder / "idx", folder / "p.images", {.resolution = 4, .channels = 3});
  const auto source = open_source(folder / "idx");
  source->load();
  const Image wanted = resize(with_channels(source->read(2).image, 3), 4, 4);
  const PackedImages packed(folder / "p.images");
  EXPECT_TRUE(std::equal(wanted.pixels.begin(), wanted.pixels.end(), packed.pixels(2).begin()));
  EXPECT_EQ(packed.pixels(2).size(), 48U);
}

TEST(Pack, BrokenPicturesAreNamedLeftOutAndCounted) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "d");
  for (const char* name : {"a", "b", "c", "d"}) {
    folder.write(std::string("d/") + name + ".png", testing::make_png(testing::sample_image(8, 8, 3)));
  }
  folder.write("d/b.png", "GIF89a");
  folder.write("d/c.png", testing::make_png(testing::sample_image(8, 8, 3)).substr(0, 60));
  folder.write("d/e.WebP", "RIFF....WEBPVP8 ");  // of a format that is not read
  std::vector<std::string> left_out;
  PackEvents events;
  events.left_out = [&](const std::string& why) { left_out.push_back(why); };
  std::size_t done = 0;
  events.progress = [&](std::size_t now, std::size_t all) {
    done = now;
    EXPECT_EQ(all, 5U);
  };
  const PackedHeader header = pack_folder(folder / "d", folder / "p.images", {}, events);
  EXPECT_EQ(header.count, 2U);
  EXPECT_EQ(header.left_out, 3U);
  EXPECT_EQ(done, 5U);
  ASSERT_EQ(left_out.size(), 3U);
  expect_part(left_out[0], "b.png: is a GIF");
  expect_part(left_out[1], "c.png: is a damaged PNG");
  expect_part(left_out[2], "e.WebP: is a WebP picture");
  for (const char* name : {"a", "d"}) folder.write(std::string("d/") + name + ".png", "");
  expect_part(error_message([&] { pack_folder(folder / "d", folder / "p.images"); }), "none of 5 pictures");
  EXPECT_EQ(PackedImages(folder / "p.images").header().count, 2U);  // what was there stays
  EXPECT_EQ(folder.entries(), 2U);
}

TEST(Pack, DamageIsNamed) {
  const TemporaryFolder folder;
  testing::write_idx_set(folder / "idx", 4, 4);
  pack_folder(folder / "idx", folder / "p.images");
  const std::string whole = testing::read_file(folder / "p.images");
  const auto message = [&](const std::string& bytes) {
    return error_message([&] { const PackedImages packed(folder.write("q.images", bytes)); });
  };
  EXPECT_EQ(message(whole), "(no error)");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_TRUE(message(whole.substr(0, size)).starts_with((folder / "q.images").string())) << size;
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    const bool harmless = damaged.find("\"kind\":\"idx\"") == std::string::npos ||
                          at - whole.find("\"fingerprint\":\"") < 48 || at - whole.find("\"left_out\":") < 12;
    if (harmless) continue;
    EXPECT_NE(message(damaged), "(no error)") << at;
  }
  std::string other = whole;
  other.replace(other.find("\"version\":1"), 11, "\"version\":2");
  expect_part(message(other), "version 2");
}

// The cache is in the user's folder, which is one of the test's own here.
class PackCache : public ::testing::Test {
 protected:
  PackCache() {
    if (const char* before = std::getenv("XDG_CACHE_HOME")) before_ = before;
    setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
    testing::write_idx_set(folder_ / "idx", 4, 4);
  }
  ~PackCache() override {
    if (before_.empty()) {
      unsetenv("XDG_CACHE_HOME");
    } else {
      setenv("XDG_CACHE_HOME", before_.c_str(), 1);
    }
  }

  // Whether opening had to make the pack.
  bool makes(const DataOptions& options = {}) {
    bool made = false;
    PackEvents events;
    events.progress = [&](std::size_t, std::size_t) { made = true; };
    count_ = open_images(folder_ / "idx", options, events).header().count;
    return made;
  }

  fs::path only_file() const { return fs::directory_iterator(folder_ / "cache/cmanp/images")->path(); }

  TemporaryFolder folder_;
  std::string before_;
  std::size_t count_ = 0;
};

TEST_F(PackCache, IsMadeOnceAndAgainWhenDamagedOrStale) {
  EXPECT_TRUE(makes());
  EXPECT_FALSE(makes());
  EXPECT_EQ(count_, 8U);
  const std::string bytes = testing::read_file(only_file());
  fs::resize_file(only_file(), bytes.size() / 2);
  EXPECT_TRUE(makes());
  EXPECT_FALSE(makes());
  testing::write_idx_set(folder_ / "idx", 5, 4);
  EXPECT_TRUE(makes());
  EXPECT_EQ(count_, 10U);
  EXPECT_TRUE(makes({.resolution = 3}));  // beside the other
  EXPECT_FALSE(makes());
  EXPECT_FALSE(makes({.resolution = 3}));
}

TEST_F(PackCache, PackedFilesAreTakenAsTheyAre) {
  makes();
  const fs::path file = only_file();
  EXPECT_EQ(open_images(file, {}).header().count, 8U);
  EXPECT_EQ(resolved(file, {}).resolution, 4U);
  expect_part(error_message([&] { open_images(file, {.resolution = 28, .channels = 1}); }), "pictures of 4x4");
  expect_part(error_message([&] { open_images(file, {.channels = 3}); }), "with 1 channels");
}

TEST_F(PackCache, NeedsAPlace) {
  setenv("XDG_CACHE_HOME", "/proc/none", 1);
  expect_part(error_message([&] { makes(); }), "/proc/none");
  expect_part(error_message([&] { makes({.resolution = 5000}); }), "resolution is 5000");
  expect_part(error_message([&] { makes({.channels = 2}); }), "channels is 2");
}

}  // namespace
}  // namespace cmanp::images
