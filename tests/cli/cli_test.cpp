#include "cli/cli_test.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <sstream>

#include "files/safetensors.hpp"
#include "runtime/rewrite_model.hpp"

namespace cmanp::testing {

namespace {

// Made once, by the program itself; tests get copies.
const std::string& small_model() {
  static const std::string bytes = [] {
    const TemporaryFolder folder;
    const std::string path = (folder / "model").string();
    const ProcessResult made = run_process(
        command({"init", "--preset", "nano", "--latents", "4", "--block-latents", "6", "--seed", "3", "-o", path}));
    if (made.exit_code != 0) throw std::runtime_error("cmanp init failed: " + made.err);
    // Nothing says that it is untrained: what verbs print is theirs, and no warning of every one of them.
    const std::string quiet = (folder / "quiet").string();
    runtime::rewrite_model(files::Safetensors::open(path), quiet, {{"provenance", "{}"}});
    return read_file(quiet);
  }();
  return bytes;
}

}  // namespace

bool has_training_half() {
  return std::filesystem::exists(std::filesystem::path(CMANP_PROGRAM).replace_filename("cmanp-train"));
}

std::vector<std::string> command(const std::vector<std::string>& arguments) {
  std::vector<std::string> all{CMANP_PROGRAM};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

CliTest::CliTest() { folder_.write("small.cmanp", small_model()); }

ProcessResult CliTest::cmanp(const std::vector<std::string>& arguments, const std::string& input) const {
  return cmanp(arguments, ProcessOptions{.input = input});
}

ProcessResult CliTest::cmanp(const std::vector<std::string>& arguments, const ProcessOptions& options) const {
  return run_process(command(arguments), options);
}

std::string CliTest::output_of(const std::vector<std::string>& arguments, const std::string& input) const {
  const ProcessResult result = cmanp(arguments, input);
  EXPECT_EQ(result.exit_code, 0) << arguments[0] << ": " << result.err;
  return result.out;
}

nlohmann::json CliTest::json_of(const std::vector<std::string>& arguments, const std::string& input) const {
  const std::string text = output_of(arguments, input);
  const nlohmann::json document = nlohmann::json::parse(text, nullptr, false);
  EXPECT_FALSE(document.is_discarded()) << text;
  return document;
}

std::string CliTest::points(std::size_t first, std::size_t rows) {
  std::string text = "x,y\n";
  for (std::size_t i = first; i < first + rows; ++i) {
    const auto n = static_cast<double>(i);
    text += fmt::format("{},{}\n", 2 * std::sin(1.1 * n), std::cos(0.9 * n));
  }
  return text;
}

void CliTest::expect_refused(const std::vector<std::string>& arguments, const std::vector<std::string>& parts,
                             const ProcessOptions& options) const {
  const ProcessResult result = cmanp(arguments, options);
  EXPECT_EQ(result.exit_code, 1) << result.err << " signal " << result.signal;
  EXPECT_NE(("\n" + result.err).find("\ncmanp: error: "), std::string::npos) << result.err;  // perhaps after warnings
  for (const std::string& part : parts)
    EXPECT_NE(result.err.find(part), std::string::npos) << part << " in " << result.err;
}

std::vector<std::vector<double>> csv_rows(const std::string& text) {
  std::vector<std::vector<double>> rows;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::vector<double>& row = rows.emplace_back();
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) row.push_back(std::stod(field));
  }
  return rows;
}

std::string with_header(const std::string& file, const std::function<void(nlohmann::json&)>& change) {
  std::uint64_t size = 0;
  std::memcpy(&size, file.data(), sizeof(size));
  nlohmann::json header = nlohmann::json::parse(file.substr(sizeof(size), size));
  for (const char* entry : {"checksum", "checksum_kind"}) header["__metadata__"].erase(entry);  // lies of today
  change(header);
  const std::string text = header.dump();
  const std::uint64_t new_size = text.size();
  std::string result(sizeof(new_size), '\0');
  std::memcpy(result.data(), &new_size, sizeof(new_size));
  return result + text + file.substr(sizeof(size) + size);
}

}  // namespace cmanp::testing
