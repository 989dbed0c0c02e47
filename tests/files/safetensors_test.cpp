#include "files/safetensors.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <vector>

#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::files {
namespace {

using testing::error_message;
using testing::TemporaryFolder;

// A file with this header and so many bytes of data.
std::string file_of(const std::string& header, std::size_t data = 0) {
  const std::uint64_t length = header.size();
  std::string file(8, '\0');
  std::memcpy(file.data(), &length, 8);
  return file + header + std::string(data, '\1');
}

std::string message_of(const std::string& file) {
  return error_message([&] { Safetensors::parse(std::as_bytes(std::span(file)), "m"); });
}

std::string header_message(const std::string& header, std::size_t data = 0) {
  return message_of(file_of(header, data));
}

TEST(Safetensors, RoundTrip) {
  const TemporaryFolder folder;
  const std::vector<float> floats{1.5F, -2, 3, 4, 5, 6};
  const std::vector<double> doubles{0.1, 1e300};
  const std::vector<std::uint64_t> counts{18446744073709551615U};
  const Metadata metadata{{"format", "test"}, {"text", "quotes \" and ümlaut \n"}};
  write_safetensors(
      folder / "t", metadata,
      {{"a", view_of(std::span(floats).first(5), {5})},  // odd in number: what follows would be misaligned
       {"b", view_of(std::span(floats), {2, 3})},
       {"doubles", view_of(doubles, {2, 1})},
       {"count", view_of(counts, {})},
       {"none", view_of(std::span<const float>(), {3, 0})}});

  const Safetensors file = Safetensors::open(folder / "t");
  EXPECT_EQ(file.metadata(), metadata);
  EXPECT_EQ(file.name(), (folder / "t").string());
  ASSERT_EQ(file.tensors().size(), 5);
  EXPECT_EQ(file.tensors().at("b").shape, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(file.tensors().at("none").elements(), 0);
  EXPECT_EQ(file.tensors().at("count").elements(), 1);
  EXPECT_EQ(std::memcmp(file.tensors().at("b").bytes.data(), floats.data(), 24), 0);
  EXPECT_EQ(std::memcmp(file.tensors().at("doubles").bytes.data(), doubles.data(), 16), 0);
  EXPECT_EQ(std::memcmp(file.tensors().at("count").bytes.data(), counts.data(), 8), 0);
  const std::string raw = testing::read_file(folder / "t");
  for (const auto& [name, tensor] : file.tensors()) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.bytes.data()) % dtype_size(tensor.dtype), 0) << name;
  }
  EXPECT_EQ(static_cast<unsigned char>(raw[0]) % 8, 0) << "the header is padded";
}

TEST(Safetensors, EmptyFileOfNoTensorsIsFine) {
  const TemporaryFolder folder;
  write_safetensors(folder / "t", {}, {});
  EXPECT_TRUE(Safetensors::open(folder / "t").tensors().empty());
}

TEST(Safetensors, MisalignedDataIsCopiedToWhereItIsAligned) {
  for (std::size_t shift = 0; shift < 8; ++shift) {
    const std::string file = file_of(std::string(shift, ' ') +
                                         R"({"d":{"dtype":"F64","shape":[2],"data_offsets":[4,20]},
                                             "f":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
                                     20);
    const Safetensors parsed = Safetensors::parse(std::as_bytes(std::span(file)), "m");
    const TensorView& tensor = parsed.tensors().at("d");
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.bytes.data()) % 8, 0);
    EXPECT_EQ(tensor.bytes.size(), 16);
    EXPECT_EQ(static_cast<int>(tensor.bytes[15]), 1);
  }
}

TEST(Safetensors, WriterRefusesWhatItCouldNotRead) {
  const TemporaryFolder folder;
  const std::string path = (folder / "t").string();
  const std::vector<float> values(3);
  EXPECT_EQ(error_message([&] {
              write_safetensors(path, {}, {{"a", view_of(values, {2, 2})}});
            }),
            "cannot write " + path + ": tensor 'a': shape [2, 2] does not fit 12 bytes");
  EXPECT_EQ(error_message([&] {
              write_safetensors(path, {}, {{"__metadata__", view_of(values, {3})}});
            }),
            "cannot write " + path + ": no tensor can be named __metadata__");
  EXPECT_EQ(error_message([&] {
              write_safetensors(path, {{"k", "\xff"}}, {});
            }),
            "cannot write " + path + ": a name or text in it is not UTF-8");
  EXPECT_EQ(folder.entries(), 0);
}

TEST(SafetensorsRefuses, WhatIsNoFile) {
  const TemporaryFolder folder;
  const auto open_message = [&](const std::filesystem::path& path) {
    return error_message([&] { Safetensors::open(path); });
  };
  EXPECT_EQ(open_message(folder / "none"), (folder / "none").string() + ": cannot open: No such file or directory");
  EXPECT_EQ(open_message(folder.path()), folder.path().string() + ": is a folder, not a file");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(open_message(folder / "pipe"), (folder / "pipe").string() + ": is not a regular file");
  EXPECT_EQ(open_message(folder.write("empty", "")), (folder / "empty").string() + ": the file is empty");
}

TEST(SafetensorsRefuses, LyingLengths) {
  EXPECT_EQ(message_of("1234567"), "m: 7 bytes are too few for a safetensors file");
  EXPECT_EQ(message_of("\xff\xff\xff\xff\xff\xff\xff\xff{}"),
            "m: a header of 18446744073709551615 bytes is announced, but 2 follow (cut short, or no safetensors file)");
  EXPECT_EQ(message_of(file_of(std::string(100'000'001, ' '))),
            "m: a header of 100000001 bytes, at most 100000000 are read");
}

TEST(SafetensorsRefuses, HeadersThatAreNotJson) {
  EXPECT_EQ(header_message(""), "m: the header is not valid JSON at byte 9");
  EXPECT_EQ(header_message("garbage"), "m: the header is not valid JSON at byte 9");
  EXPECT_EQ(header_message("{} {}"), "m: the header is not valid JSON at byte 12");
  EXPECT_EQ(header_message("{\"a\": \"\xff\"}"), "m: the header is not valid JSON at byte 16");
  EXPECT_EQ(header_message(R"({"a":{"dtype":"F32","shape":[1e999]}})"), "m: the header is not valid JSON at byte 42");
  EXPECT_EQ(header_message("[]"), "m: header: a list where there must be an object");
  EXPECT_EQ(header_message("3"), "m: header: a number where there must be an object");
}

TEST(SafetensorsRefuses, DeepNestingAtOnce) {
  EXPECT_EQ(header_message(std::string(50'000'000, '[')), "m: header: a list where there must be an object");
  EXPECT_EQ(header_message(R"({"a":{"dtype":"F32","shape":)" + std::string(50'000'000, '[')),
            "m: tensor 'a': 'shape': a list where there must be a whole number that is not negative");
  std::string objects;
  for (int depth = 0; depth < 1'000'000; ++depth) objects += R"({"a":)";
  EXPECT_EQ(header_message(objects), "m: tensor 'a': 'a': unknown field");
}

TEST(SafetensorsRefuses, HeadersOfTheWrongForm) {
  EXPECT_EQ(header_message(R"({"a":3})"), "m: tensor 'a': a number where there must be an object");
  EXPECT_EQ(header_message(R"({"a":[]})"), "m: tensor 'a': a list where there must be an object");
  EXPECT_EQ(header_message(R"({"__metadata__":"x"})"), "m: __metadata__: a text where there must be an object");
  EXPECT_EQ(header_message(R"({"__metadata__":{"k":3}})"), "m: __metadata__: 'k': a number where there must be a text");
  EXPECT_EQ(header_message(R"({"__metadata__":{"k":{}}})"),
            "m: __metadata__: 'k': an object where there must be a text");
  EXPECT_EQ(header_message(R"({"__metadata__":{"k":null}})"), "m: __metadata__: 'k': null where there must be a text");
  EXPECT_EQ(header_message(R"({"a":{"dtype":32}})"), "m: tensor 'a': 'dtype': a number where there must be a text");
  EXPECT_EQ(header_message(R"({"a":{"dtype":["F32"]}})"), "m: tensor 'a': 'dtype': a list where there must be a text");
  EXPECT_EQ(header_message(R"({"a":{"shape":"3"}})"),
            "m: tensor 'a': 'shape': a text where there must be a list of numbers");
  EXPECT_EQ(header_message(R"({"a":{"dtype":"F32","offsets":[0,4]}})"), "m: tensor 'a': 'offsets': unknown field");
  EXPECT_EQ(header_message(R"({"a":{"dtype":"F32","shape":[]}})"), "m: tensor 'a': no data_offsets");
  EXPECT_EQ(header_message(R"({"a":{"dtype":"F32","data_offsets":[0,4]}})"), "m: tensor 'a': no shape");
  EXPECT_EQ(header_message(R"({"a":{"shape":[],"data_offsets":[0,4]}})"), "m: tensor 'a': no dtype");
  EXPECT_EQ(header_message(R"({"a":{"dtype":"F32","shape":[],"data_offsets":[0,4,8]}})"),
            "m: tensor 'a': 3 data_offsets, there must be 2");
  EXPECT_EQ(header_message(R"({"a":{"shape":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}})"),
            "m: tensor 'a': 'shape': more than 16 numbers");
}

TEST(SafetensorsRefuses, Duplicates) {
  const std::string tensor = R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
  EXPECT_EQ(header_message(R"({"a":)" + tensor + R"(,"a":)" + tensor + "}", 4), "m: tensor 'a': given twice");
  EXPECT_EQ(header_message(R"({"__metadata__":{},"__metadata__":{}})"), "m: __metadata__: given twice");
  EXPECT_EQ(header_message(R"({"__metadata__":{"k":"1","k":"2"}})"), "m: __metadata__: 'k': given twice");
  EXPECT_EQ(header_message(R"({"a":{"dtype":"F32","dtype":"F64"}})"), "m: tensor 'a': 'dtype': given twice");
}

TEST(SafetensorsRefuses, NumbersThatAreNoSizes) {
  const auto with_shape = [](const std::string& shape) {
    return header_message(R"({"a":{"dtype":"F32","shape":)" + shape + R"(,"data_offsets":[0,4]}})", 4);
  };
  EXPECT_EQ(with_shape("[-3]"), "m: tensor 'a': 'shape': -3 where there must be a whole number that is not negative");
  EXPECT_EQ(with_shape("[1.0]"),
            "m: tensor 'a': 'shape': '1.0' where there must be a whole number that is not negative");
  EXPECT_EQ(with_shape("[18446744073709551616]"),
            "m: tensor 'a': 'shape': '18446744073709551616' where there must be a whole number that is not negative");
  EXPECT_EQ(with_shape("[true]"),
            "m: tensor 'a': 'shape': true where there must be a whole number that is not negative");
  EXPECT_EQ(with_shape("[4294967296, 4294967296]"), "m: tensor 'a': shape [4294967296, 4294967296] is too large");
  EXPECT_EQ(with_shape("[18446744073709551615]"), "m: tensor 'a': shape [18446744073709551615] is too large");
  EXPECT_EQ(with_shape("[3, 4]"), "m: tensor 'a': shape [3, 4] needs 48 bytes, its offsets give 4");
}

TEST(SafetensorsRefuses, UnknownTypes) {
  EXPECT_EQ(header_message(R"({"a":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]}})", 2),
            "m: tensor 'a': dtype 'BF16' is not one that is read here (F32, F64, U64)");
}

TEST(SafetensorsRefuses, OffsetsThatDoNotFitTheData) {
  const auto tensor = [](const std::string& name, int begin, int end, int extent) {
    return "\"" + name + R"(":{"dtype":"F32","shape":[)" + std::to_string(extent) + R"(],"data_offsets":[)" +
           std::to_string(begin) + "," + std::to_string(end) + "]}";
  };
  EXPECT_EQ(header_message("{" + tensor("a", 0, 8, 2) + "}", 7),
            "m: tensor 'a': its data ends at 8, but the file has 7 bytes of data (cut short?)");
  EXPECT_EQ(header_message("{" + tensor("a", 8, 4, 1) + "}", 8),
            "m: tensor 'a': its data ends at 4, before it begins at 8");
  EXPECT_EQ(header_message("{" + tensor("a", 0, 8, 2) + "," + tensor("b", 4, 12, 2) + "}", 12),
            "m: tensor 'b': its data overlaps that of another");
  EXPECT_EQ(header_message("{" + tensor("a", 0, 8, 2) + "," + tensor("b", 0, 8, 2) + "}", 8),
            "m: tensor 'b': its data overlaps that of another");
  EXPECT_EQ(header_message("{" + tensor("a", 0, 4, 1) + "," + tensor("b", 8, 12, 1) + "}", 12),
            "m: tensor 'b': 4 bytes before it belong to no tensor");
  EXPECT_EQ(header_message("{" + tensor("a", 0, 4, 1) + "}", 7), "m: 3 bytes at the end belong to no tensor");
  EXPECT_EQ(header_message("{}", 1), "m: 1 bytes at the end belong to no tensor");
}

TEST(SafetensorsRefuses, WithoutRepeatingRawBytes) {
  const std::string escapes = "\\u0000\\u001b[31m\xc3\xbc";  // JSON escapes for NUL and ESC, then a letter
  EXPECT_EQ(header_message("{\"" + escapes + R"(":3})"),
            "m: tensor '\\x00\\x1b[31m\xc3\xbc': a number where there must be an object");
  EXPECT_EQ(header_message("{\"" + std::string(1'000'000, 'n') + R"(":3})"),
            "m: tensor '" + std::string(60, 'n') + "…': a number where there must be an object");
}

TEST(SafetensorsRefuses, EveryTruncationOfARealFile) {
  const TemporaryFolder folder;
  const std::vector<float> values(9);
  write_safetensors(folder / "t", {{"k", "v"}}, {{"a", view_of(values, {3, 3})}});
  const std::string whole = testing::read_file(folder / "t");
  EXPECT_EQ(message_of(whole), "(no error)");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    // A copy of exactly that size: the address sanitizer sees any read beyond it.
    const std::vector<char> part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_THROW(Safetensors::parse(std::as_bytes(std::span(part)), "m"), Error) << size;
  }
}

TEST(Safetensors, EveryFlippedBitIsTold) {
  const std::vector<float> floats{1.5F, -2, 3};
  const std::vector<std::byte> whole = safetensors_bytes("m", {{"format", "test"}, {"points", "12"}},
                                                         {{"a", view_of(floats, {3})}, {"b", view_of(floats, {3})}});
  EXPECT_NO_THROW(Safetensors::parse(whole, "m"));
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::vector<std::byte> flipped = whole;
    flipped[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_THROW(Safetensors::parse(flipped, "m"), Error) << "bit " << bit % 8 << " of byte " << bit / 8;
  }
}

TEST(Safetensors, AChecksumIsOfWhatTheFileSaysNotOfItsOrder) {
  const std::vector<float> floats{1.5F, -2};
  const std::vector<std::byte> bytes = safetensors_bytes("m", {{"k", "v"}}, {{"a", view_of(floats, {2})}});
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  EXPECT_EQ(Safetensors::parse(bytes, "m").metadata(), (Metadata{{"k", "v"}}));  // not the checksum's entries
  const std::size_t at = text.find("[2]");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 3, "[1]");
  EXPECT_NE(message_of(text), "(no error)");
  text.replace(at, 3, "[2]");
  text.replace(text.find("\"v\""), 3, "\"w\"");
  EXPECT_EQ(message_of(text), "m: is damaged: it is not what was written, by its checksum");
}

TEST(MappedFile, SmallFilesStayAsTheyWereRead) {
  const TemporaryFolder folder;
  const auto path = folder.write("f", std::string(20'000, 'x'));
  const MappedFile file(path);
  folder.write("f", "y");  // in place
  for (const std::byte byte : file.bytes()) ASSERT_EQ(byte, std::byte{'x'});
  EXPECT_NO_THROW(file.check_unchanged());
}

TEST(MappedFile, ALargeFileThatIsCutIsToldAndKillsNobody) {
  const TemporaryFolder folder;
  const auto path = folder.write("f", std::string(200'000, 'x'));
  const MappedFile file(path, 1'000), whole(folder.write("g", std::string(200'000, 'x')), 1'000);
  EXPECT_NO_THROW(file.check_unchanged());
  folder.write("f", "y");
  std::size_t sum = 0;
  for (const std::byte byte : file.bytes()) sum += std::to_integer<std::size_t>(byte);  // a SIGBUS, without the guard
  EXPECT_LT(sum, 200'000U * 'x');
  EXPECT_EQ(error_message([&] { file.check_unchanged(); }), path.string() + ": changed while it was read; try again");
  EXPECT_NO_THROW(whole.check_unchanged());
}

TEST(MappedFile, ALargeFileThatIsWrittenToIsTold) {
  const TemporaryFolder folder;
  const auto path = folder.write("f", std::string(200'000, 'x'));
  const MappedFile file(path, 1'000);
  const struct timespec times[2] = {{1, 0}, {1, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);  // a clock that moves on at once
  EXPECT_THROW(file.check_unchanged(), Error);
}

}  // namespace
}  // namespace cmanp::files
