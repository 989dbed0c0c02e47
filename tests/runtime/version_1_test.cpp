// Files that the first version wrote: they load for ever, and what names a model stays what it was.
#include <gtest/gtest.h>

#include <cmanp/cmanp.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "runtime/access.hpp"
#include "runtime/engine.hpp"
#include "runtime/hash.hpp"
#include "runtime/small_model.hpp"
#include "runtime/state_data.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::testing {
namespace {

namespace fs = std::filesystem;

fs::path shipped(const std::string& name) { return fs::path(CMANP_SOURCE_DIR) / "models" / name; }
fs::path kept(const std::string& name) { return fs::path(CMANP_SOURCE_DIR) / "tests/version_1" / name; }

TEST(Version1, ShippedModelsKeepTheirNames) {
  EXPECT_EQ(Model::load(shipped("gp-absolute.cmanp")).hash(), "d0e460b3b28afefcfb3dc1012df83deb");
  EXPECT_EQ(Model::load(shipped("gp-absolute-and.cmanp")).hash(), "4f69c61304f959c2cbda490e9d4bd033");
  EXPECT_EQ(Model::load(shipped("gp-absolute-nano.cmanp")).hash(), "7e924032798dbad5550a99e4ddd69c10");
  EXPECT_EQ(Model::load(shipped("fashion-and.cmanp")).hash(), "de366c517e407a0c98e1115c838d568e");
  EXPECT_EQ(Model::load(shipped("wheel.cmanp")).hash(), "dff2473375715a629cb924506f619521");
}

// The first version's own answers to x = -1 and 0.25, after 150 points.
void expect_answers(const fs::path& model, const std::string& state, const std::vector<double>& mean,
                    const std::vector<double>& std) {
  Context context = Context::load(Model::load(model), kept(state));
  EXPECT_EQ(context.size(), 150U);
  const Diagonal answers = predict(context, {-1, 0.25});
  for (std::size_t i = 0; i < mean.size(); ++i) {
    EXPECT_NEAR(answers.mean[i], mean[i], 1e-4);
    EXPECT_NEAR(answers.std[i], std[i], 1e-4);
  }
}

TEST(Version1, StatesLoad) {
  expect_answers(shipped("gp-absolute-nano.cmanp"), "gp-nano.state", {-0.002412693575024605, 0.27226418256759644},
                 {0.2555972203627424, 0.43476141752836645});
  expect_answers(kept("tiny-and.cmanp"), "tiny-and.state", {-0.08240947127342224, -0.12009993940591812},
                 {1.2794715632114422, 1.1950647431148265});
}

TEST(Version1, StatesMergeWithTodays) {
  const Model model = Model::load(shipped("gp-absolute-nano.cmanp"));
  Context today(model);
  const std::vector<double> x(10, 0.5), y(10, -0.5);
  today.observe(x, y);
  runtime::StateData merged = runtime::read_state(kept("gp-nano.state"));
  merged.merge(runtime::Access::engine(today).state());
  EXPECT_EQ(merged.points, 160U);
  EXPECT_TRUE(merged.normalisation.has_value());
}

// A key that is made after version 1 changes no name until somebody uses it.
TEST(Version1, ANewKeyOrphansNobody) {
  using Json = nlohmann::ordered_json;
  constexpr std::string_view old[] = {"a", "b"};
  const Json defaults{{"a", 1}, {"new", 0}, {"b", 2}, {"another", "x"}};
  const auto part = [&](const Json& settings) { return runtime::naming_part(settings, defaults, old); };
  const std::string before = part({{"a", 1}, {"b", 5}});
  EXPECT_EQ(before, R"({"a":1,"b":5})");
  EXPECT_EQ(part({{"a", 1}, {"new", 0}, {"b", 5}, {"another", "x"}}), before);
  EXPECT_EQ(part({{"new", 3}, {"b", 5}, {"another", "y"}, {"a", 1}}), R"({"a":1,"b":5,"another":"y","new":3})");
}

}  // namespace
}  // namespace cmanp::testing
