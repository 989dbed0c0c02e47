// Every layout of data gives its pictures, classes and splits; what is wrong with one is said by name.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "images/datasets/cifar_source.hpp"
#include "images/datasets/fetch.hpp"
#include "images/datasets/idx.hpp"
#include "images/datasets/source.hpp"
#include "images/expect_part.hpp"
#include "images/make_pictures.hpp"
#include "images/picture_file.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::images {
namespace {

using testing::error_message;
using testing::expect_part;
using testing::make_idx;
using testing::make_png;
using testing::sample_image;
using testing::TemporaryFolder;
using namespace std::string_literals;
namespace fs = std::filesystem;

std::unique_ptr<Source> opened(const fs::path& path, const DataOptions& options = {}) {
  std::unique_ptr<Source> source = open_source(path, options);
  source->load();
  return source;
}

TEST(Idx, PicturesClassesAndSplitsZippedOrNot) {
  const TemporaryFolder folder;
  for (const bool compress : {false, true}) {
    const fs::path data = folder / (compress ? "zipped" : "plain");
    testing::write_idx_set(data, 5, 6, compress);
    const auto source = opened(data);
    EXPECT_EQ(source->kind(), "idx");
    EXPECT_EQ(source->side(), 6U);
    EXPECT_EQ(source->channels(), 1U);
    ASSERT_EQ(source->size(), 10U);
    const Example third = source->read(3), eighth = source->read(8);
    EXPECT_EQ(third.image.pixels[0], 3);
    EXPECT_EQ(third.label, 3);
    EXPECT_EQ(third.split, Split::train);
    EXPECT_EQ(eighth.image.pixels[0], 103);
    EXPECT_EQ(eighth.split, Split::test);
    EXPECT_EQ(opened(data, {.transpose = true})->read(3).image, transposed(third.image));
  }
}

TEST(Idx, SeveralSetsAreToldApartByHowTheyBegin) {
  const TemporaryFolder folder;
  testing::write_idx_set(folder / "a", 2, 6);
  testing::write_idx_set(folder / "b", 3, 6);
  for (const char* set : {"a", "b"}) {
    for (const auto& entry : fs::directory_iterator(folder / set)) {
      fs::copy(entry.path(), folder / ("emnist-"s + set + "-" + entry.path().filename().string()));
    }
  }
  expect_part(error_message([&] { open_source(folder.path()); }), "several sets");
  EXPECT_EQ(opened(folder / "emnist-b")->size(), 6U);
  expect_part(error_message([&] { open_source(folder / "emnist-c"); }), "no such folder");
}

TEST(Idx, DamageIsNamed) {
  const TemporaryFolder folder;
  const auto message = [&](const std::string& bytes) {
    return error_message([&] { read_idx(folder.write("f", bytes)); });
  };
  const std::string whole = make_idx({2, 2, 2}, "abcdefgh");
  EXPECT_EQ(message(whole), "(no error)");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_TRUE(message(whole.substr(0, size)).starts_with((folder / "f").string())) << size;
  }
  expect_part(message(whole.substr(0, 20)), "4 bytes of the 8");
  expect_part(message(whole + "x"), "more bytes");
  expect_part(message(make_idx({0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}, "a")), "claims more bytes than any such file has");
  expect_part(message(make_idx({0x7FFFFFFF}, "a")), "cut short");
  expect_part(message(make_idx({0, 2, 2}, "")), "sizes is 0");
  expect_part(message(make_idx({2, 2}, "abcd")), "no IDX file");
  expect_part(message("\0\0\x0D\x01\0\0\0\x01"s), "no IDX file");
  const std::string zipped = testing::gzipped(make_idx({100, 10, 10}, std::string(10000, 'x')));
  EXPECT_EQ(message(zipped), "(no error)");
  for (std::size_t cut = 1; cut < zipped.size(); ++cut) {
    EXPECT_NE(message(zipped.substr(0, zipped.size() - cut)), "(no error)") << cut;
  }
  expect_part(error_message([&] { read_idx(folder / "none"); }), "none");
}

TEST(Idx, LabelsMustFitThePictures) {
  const TemporaryFolder folder;
  testing::write_idx_set(folder / "d", 3, 4);
  folder.write("d/train-labels-idx1-ubyte", make_idx({4}, "abcd"));
  expect_part(error_message([&] { opened(folder / "d"); }), "4 labels for 3 pictures");
  fs::remove(folder / "d/train-labels-idx1-ubyte");
  expect_part(error_message([&] { opened(folder / "d"); }), "not beside it");
  fs::remove(folder / "d/t10k-images-idx3-ubyte");
  expect_part(error_message([&] { opened(folder / "d"); }), "none for test");
}

// A record of CIFAR-10 whose planes are flat.
std::string record(int label, const std::string& colour) {
  std::string bytes(1, static_cast<char>(label));
  for (const char value : colour) bytes += std::string(1024, value);
  return bytes;
}

TEST(Cifar, PlanesBecomePixels) {
  const TemporaryFolder folder;
  folder.write("data_batch_1.bin", record(3, "abc") + record(4, "def"));
  folder.write("test_batch.bin", record(9, "xyz") + record(77, "xyz"));
  const auto source = opened(folder.path());
  EXPECT_EQ(source->kind(), "cifar10");
  ASSERT_EQ(source->size(), 4U);
  const Example second = source->read(1);
  EXPECT_EQ(second.label, 4);
  EXPECT_EQ(std::string(second.image.pixels.begin(), second.image.pixels.begin() + 6), "defdef");
  EXPECT_EQ(source->read(2).split, Split::test);
  expect_part(error_message([&] { source->read(3); }), "class 77");
  folder.write("test_batch.bin", "short");
  expect_part(error_message([&] { opened(folder.path()); }), "test_batch.bin");
  fs::remove(folder / "test_batch.bin");
  expect_part(error_message([&] { opened(folder.path()); }), "test_batch.bin");
}

TEST(Cifar, PackagesOfSheetsAreConverted) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "package");
  fs::create_directories(folder / "data");
  for (const char* sheet :
       {"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5", "test_batch"}) {
    write_png(folder / ("package/"s + sheet + ".png"), sample_image(2, 1024, 3));
  }
  folder.write("package/train_lables.json", "[0,1,2,3,4,5,6,7,8,9]");
  folder.write("package/test_lables.json", "[5,6]");
  convert_cifar_package(folder / "package", folder / "data");
  const auto source = opened(folder / "data");
  ASSERT_EQ(source->size(), 12U);
  const Image sheet = sample_image(2, 1024, 3);
  EXPECT_EQ(source->read(3).image.pixels, std::vector<std::uint8_t>(sheet.pixels.begin() + 3072, sheet.pixels.end()));
  EXPECT_EQ(source->read(3).label, 3);
  EXPECT_EQ(source->read(11).label, 6);
  folder.write("package/test_lables.json", "[5]");
  expect_part(error_message([&] { convert_cifar_package(folder / "package", folder / "data"); }), "test_batch.png");
  folder.write("package/test_lables.json", "[5,10]");
  expect_part(error_message([&] { convert_cifar_package(folder / "package", folder / "data"); }), "test_lables.json");
}

TEST(Celeba, SplitsComeFromTheList) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "img_align_celeba");
  folder.write("img_align_celeba/000001.jpg", testing::make_jpeg(9, 11, 1, std::string(99, 'k')));
  write_png(folder / "img_align_celeba/000002.png", sample_image(11, 9, 3));
  folder.write("list_eval_partition.txt", "000001.jpg 0\r\n000002.png 2\n\nmissing.jpg 1\n");
  const auto source = opened(folder.path());
  EXPECT_EQ(source->kind(), "celeba");
  ASSERT_EQ(source->size(), 3U);
  EXPECT_EQ(source->read(0).image.width, 9U);
  EXPECT_EQ(source->read(1).split, Split::test);
  EXPECT_EQ(source->read(1).label, kNoLabel);
  expect_part(error_message([&] { source->read(2); }), "missing.jpg");
  folder.write("list_eval_partition.txt", "000001.jpg 0\n000002.png 3\n");
  expect_part(error_message([&] { opened(folder.path()); }), "list_eval_partition.txt:2: ");
  folder.write("list_eval_partition.txt", "../secret.jpg 0\n");
  expect_part(error_message([&] { opened(folder.path()); }), "another folder");
  folder.write("list_eval_partition.txt", "");
  expect_part(error_message([&] { opened(folder.path()); }), "names no pictures");
  fs::remove_all(folder / "img_align_celeba");
  expect_part(error_message([&] { opened(folder.path()); }), "img_align_celeba");
}

TEST(PictureFolder, IsSplitByShareAndSeed) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "cats");
  fs::create_directories(folder / "dogs/old");
  fs::create_directories(folder / ".hidden");
  for (int i = 0; i < 20; ++i) {
    folder.write((i % 2 == 0 ? "cats/" : "dogs/old/") + std::to_string(i) + (i % 3 == 0 ? ".PNG" : ".png"),
                 make_png(sample_image(4, 4, 1)));
  }
  folder.write(".hidden/x.png", "");
  folder.write("cats/notes.txt", "");
  const auto tests_of = [&](const DataOptions& options) {
    const auto source = opened(folder.path(), options);
    EXPECT_EQ(source->size(), 20U);
    std::set<std::size_t> tests;
    for (std::size_t i = 0; i < 20; ++i) {
      if (source->read(i).split == Split::test) tests.insert(i);
    }
    return tests;
  };
  EXPECT_EQ(tests_of({.test_share = 0.25}).size(), 5U);
  EXPECT_EQ(tests_of({.test_share = 0}).size(), 1U);
  EXPECT_EQ(tests_of({.test_share = 1}).size(), 19U);
  EXPECT_EQ(tests_of({.test_share = 0.25}), tests_of({.test_share = 0.25}));
  EXPECT_NE(tests_of({.test_share = 0.25}), tests_of({.test_share = 0.25, .split_seed = 1}));
  EXPECT_EQ(opened(folder.path())->read(0).label, 0);
  EXPECT_EQ(opened(folder.path())->read(19).label, 1);
}

TEST(PictureFolder, WithoutPicturesIsRefused) {
  const TemporaryFolder folder;
  expect_part(error_message([&] { open_source(folder.path()); }), "holds no pictures");
  expect_part(error_message([&] { open_source(folder / "none"); }), "no such folder");
  expect_part(error_message([&] { open_source(""); }), "empty");
}

TEST(Fetch, NeverReplacesWhatIsThere) {
  const TemporaryFolder folder;
  folder.write("mine.txt", "mine");
  expect_part(error_message([&] { fetch("mnist", folder.path()); }), "holds something else");
  expect_part(error_message([&] { fetch("imagenet", folder / "x"); }), "cifar10, fashion-mnist, mnist");
  testing::write_idx_set(folder / "mnist", 2, 4);
  fetch("mnist", folder / "mnist");  // is there: nothing to do
  EXPECT_EQ(opened(folder / "mnist")->size(), 4U);
  EXPECT_EQ(folder.entries(), 2U);
}

}  // namespace
}  // namespace cmanp::images
