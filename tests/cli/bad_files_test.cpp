// Model and state files that are cut off, too long, garbage or lies: a message that names the file, exit code 1, and
// nothing that was there before is changed.
#include <cstdint>
#include <cstring>

#include "cli/cli_test.hpp"

namespace cmanp::testing {

namespace {

using Json = nlohmann::json;

class BadFilesTest : public CliTest {
 protected:
  BadFilesTest() {
    folder_.write("points.csv", points(0, 30));
    folder_.write("targets.csv", "x\n0\n");
    output_of({"condition", "--model", model_, "--state", (*this)("state"), (*this)("points.csv")});
    state_bytes_ = read_file(folder_ / "state");
  }

  // Every verb that reads a model refuses these bytes, and leaves the state that it was to write or take up as it is.
  void expect_bad_model(const std::string& bytes, const std::vector<std::string>& parts) const {
    const std::string bad = folder_.write("bad.cmanp", bytes).string();
    std::vector<std::string> all = parts;
    all.push_back("bad.cmanp");
    expect_refused({"predict", "--model", bad, "--targets", (*this)("targets.csv")}, all);
    expect_refused({"inspect", bad}, all);
    expect_refused({"condition", "--model", bad, "--state", (*this)("state"), (*this)("points.csv")}, all);
    expect_refused({"stream", "--model", bad, "--state", (*this)("state")}, all, input("x,y\n1,2\n"));
    EXPECT_TRUE(read_file(folder_ / "state") == state_bytes_) << "the state was changed";
    EXPECT_TRUE(read_file(folder_ / "bad.cmanp") == bytes);
  }

  void expect_bad_state(const std::string& bytes, const std::vector<std::string>& parts) const {
    const std::string bad = folder_.write("bad.state", bytes).string();
    std::vector<std::string> all = parts;
    all.push_back("bad.state");
    expect_refused({"predict", "--model", model_, "--state", bad, "--targets", (*this)("targets.csv")}, all);
    expect_refused({"inspect", bad}, all);
    expect_refused({"merge", (*this)("state"), bad, "-o", (*this)("state")}, all);
    expect_refused({"condition", "--model", model_, "--from", bad, "--state", (*this)("state"), (*this)("points.csv")},
                   all);
    expect_refused({"stream", "--model", model_, "--state", bad}, all, input("x,y\n1,2\n"));
    EXPECT_TRUE(read_file(folder_ / "state") == state_bytes_) << "the state was changed";
    EXPECT_TRUE(read_file(folder_ / "bad.state") == bytes);
  }

  static ProcessOptions input(const std::string& text) { return {.input = text}; }

  static std::string with_header_size(std::string bytes, std::uint64_t size) {
    std::memcpy(bytes.data(), &size, sizeof(size));
    return bytes;
  }

  std::string model_bytes_ = read_file(model_);
  std::string state_bytes_;
};

TEST_F(BadFilesTest, Missing) {
  expect_refused({"inspect", (*this)("nowhere")}, {"nowhere", "No such file"});
  expect_refused({"predict", "--model", (*this)("nowhere"), "--targets", (*this)("targets.csv")},
                 {"nowhere", "No such file"});
  expect_refused({"predict", "--model", model_, "--targets", (*this)("nowhere")}, {"nowhere", "No such file"});
  expect_refused({"predict", "--model", model_, "--state", (*this)("nowhere"), "--targets", (*this)("targets.csv")},
                 {"nowhere", "No such file"});
  expect_refused({"inspect", folder_.path().string()}, {folder_.path().string()});
}

TEST_F(BadFilesTest, Truncated) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{8}, std::size_t{200}}) {
    expect_bad_model(model_bytes_.substr(0, size), {});
    expect_bad_state(state_bytes_.substr(0, size), {});
  }
  expect_bad_model(model_bytes_.substr(0, model_bytes_.size() - 1), {});
  expect_bad_state(state_bytes_.substr(0, state_bytes_.size() - 1), {});
}

TEST_F(BadFilesTest, Oversized) {
  expect_bad_model(model_bytes_ + "x", {});
  expect_bad_state(state_bytes_ + std::string(4096, '\0'), {});
}

TEST_F(BadFilesTest, Garbage) {
  std::string garbage(3000, '\0');
  std::uint32_t random = 1;
  for (char& byte : garbage) byte = static_cast<char>((random = random * 1664525U + 1013904223U) >> 24);
  expect_bad_model(garbage, {});
  expect_bad_state(garbage, {});
  expect_bad_model("x,y\n1,2\n3,4\n", {});
}

TEST_F(BadFilesTest, HeaderSizesThatLie) {
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{5}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    expect_bad_model(with_header_size(model_bytes_, size), {});
    expect_bad_state(with_header_size(state_bytes_, size), {});
  }
}

TEST_F(BadFilesTest, TensorsThatLie) {
  const auto lie = [](const std::string& bytes, const std::function<void(Json&)>& change) {
    return with_header(bytes, [&](Json& header) {
      for (auto& [name, tensor] : header.items()) {
        if (name != "__metadata__") return change(tensor);
      }
    });
  };
  const auto huge_shape = [](Json& tensor) { tensor["shape"] = {1ULL << 40, 1ULL << 40}; };
  const auto beyond = [](Json& tensor) { tensor["data_offsets"][1] = 1ULL << 50; };
  const auto backwards = [](Json& tensor) { std::swap(tensor["data_offsets"][0], tensor["data_offsets"][1]); };
  const auto unknown_type = [](Json& tensor) { tensor["dtype"] = "F7"; };
  const auto negative = [](Json& tensor) { tensor["shape"][0] = -1; };
  for (const std::function<void(Json&)>& change :
       std::vector<std::function<void(Json&)>>{huge_shape, beyond, backwards, unknown_type, negative}) {
    expect_bad_model(lie(model_bytes_, change), {});
    expect_bad_state(lie(state_bytes_, change), {});
  }
}

TEST_F(BadFilesTest, ConfigurationsThatLie) {
  const auto with_config = [&](const std::string& key, const Json& value) {
    return with_header(model_bytes_, [&](Json& header) {
      Json config = Json::parse(header["__metadata__"]["config"].get<std::string>());
      config[key] = value;
      header["__metadata__"]["config"] = config.dump();
    });
  };
  expect_bad_model(with_config("num_latents", 5), {"latents"});
  expect_bad_model(with_config("num_layers", 1'000'000'000), {"num_layers"});
  expect_bad_model(with_config("d_model", -1), {"d_model"});
  expect_bad_model(with_config("nhead", "four"), {"nhead"});
  expect_bad_model(with_config("nhead", 0), {"nhead"});
  expect_bad_model(with_header(model_bytes_, [](Json& header) { header["__metadata__"]["config"] = "{"; }), {});
  expect_bad_model(with_header(model_bytes_, [](Json& header) { header.erase("__metadata__"); }), {});
}

TEST_F(BadFilesTest, WeightsThatAreNoNumbers) {
  std::string bytes = with_header(model_bytes_, [](Json&) {});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(bytes.data() + bytes.size() - sizeof(nan), &nan, sizeof(nan));
  expect_bad_model(bytes, {"nan"});
}

TEST_F(BadFilesTest, FlippedBits) {
  for (const std::size_t at : {std::size_t{60}, std::size_t{600}}) {
    std::string model = model_bytes_, state = state_bytes_;
    model[model.size() - at] = static_cast<char>(model[model.size() - at] ^ 4);
    state[state.size() - at] = static_cast<char>(state[state.size() - at] ^ 4);
    expect_bad_model(model, {"damaged"});
    expect_bad_state(state, {"damaged"});
  }
}

// A parser that recurses would end by a signal.
TEST_F(BadFilesTest, DeepJson) {
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  const auto with_entry = [&](const std::string& bytes, const char* entry, const std::string& text) {
    return with_header(bytes, [&](Json& header) { header["__metadata__"][entry] = text; });
  };
  expect_bad_model(with_entry(model_bytes_, "config", deep), {"nested"});
  expect_bad_model(with_entry(model_bytes_, "normalisation", "{\"x_shift\": " + deep + "}"), {"nested"});
  expect_bad_model(with_entry(model_bytes_, "config", R"({"dim_x": 1, "dim_y": 1, "dim_x": 2})"), {"'dim_x'", "twice"});
  expect_bad_state(with_entry(state_bytes_, "normalisation", deep), {"nested"});
  // What nothing is computed with is shown as it is.
  const auto model = folder_.write("deep.cmanp", with_entry(model_bytes_, "provenance", deep)).string();
  EXPECT_EQ(json_of({"inspect", model, "--json"})["provenance"], deep);
}

TEST_F(BadFilesTest, NamesThatAreEscapesAreShownAsSuch) {
  const auto model = folder_.write("escape.cmanp", with_header(model_bytes_, [](Json& header) {
                                     header["__metadata__"]["provenance"] = "\x1b]0;gotcha\a\x1b[2J\xc2\x9b";
                                   }));
  const std::string shown = output_of({"inspect", model.string()});
  EXPECT_EQ(shown.find_first_of("\x1b\a\x9b"), std::string::npos) << shown;
  EXPECT_NE(shown.find("\\x1b]0;gotcha"), std::string::npos) << shown;
}

TEST_F(BadFilesTest, OneInPlaceOfTheOther) {
  expect_refused({"predict", "--model", (*this)("state"), "--targets", (*this)("targets.csv")}, {"state"});
  expect_refused({"merge", (*this)("state"), model_, "-o", (*this)("merged")}, {"small.cmanp"});
  expect_refused({"import", model_, "-o", (*this)("imported")}, {"small.cmanp"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "merged"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "imported"));
}

TEST_F(BadFilesTest, AStateOfAnotherModel) {
  output_of({"init", "--preset", "nano", "--seed", "9", "-o", (*this)("other.cmanp")});
  const std::string other = (*this)("other.cmanp");
  expect_refused({"predict", "--model", other, "--state", (*this)("state"), "--targets", (*this)("targets.csv")},
                 {"state", "another model"});
  expect_refused({"stream", "--model", other, "--state", (*this)("state")}, {"another model"}, input("x,y\n1,2\n"));
  EXPECT_TRUE(read_file(folder_ / "state") == state_bytes_) << "the state was changed";
  output_of({"condition", "--model", other, "--state", (*this)("other"), (*this)("points.csv")});
  expect_refused({"merge", (*this)("state"), (*this)("other"), "-o", (*this)("state")}, {"other", "different models"});
  EXPECT_TRUE(read_file(folder_ / "state") == state_bytes_) << "the state was changed";
}

TEST_F(BadFilesTest, NowhereToWrite) {
  expect_refused({"condition", "--model", model_, "--state", (*this)("no/such/state"), (*this)("points.csv")},
                 {"no/such", "No such file"});
  expect_refused({"init", "-o", folder_.path().string()}, {"folder"});
}

// A file's text may not steer the terminal that shows it.
TEST_F(BadFilesTest, InspectPrintsNoEscapes) {
  folder_.write("coloured.cmanp", with_header(read_file(model_), [](nlohmann::json& header) {
                  header["__metadata__"]["provenance"] =
                      "{\"by\\u001b[31m\":\"\\u001b]0;title\\u0007 a \\\"quote\\\"\"}";
                }));
  const std::string out = output_of({"inspect", (*this)("coloured.cmanp")});
  EXPECT_EQ(out.find('\x1b'), std::string::npos) << out;
  EXPECT_EQ(out.find('\x07'), std::string::npos) << out;
  EXPECT_NE(out.find("title"), std::string::npos) << out;
  EXPECT_NE(out.find(" a \"quote\""), std::string::npos) << out;
}

}  // namespace
}  // namespace cmanp::testing
