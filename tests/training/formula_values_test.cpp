// Values that the public implementation computes in float64 for weights, data and randomness by formula.
#include <gtest/gtest.h>

#include <array>

#include "training/fixtures.hpp"

namespace cmanp::testing {
namespace {

using training::Batch;
using training::ModelConfig;
using training::NeuralProcess;

using Values = std::array<double, 3>;  // gp, emnist, celeba32

void expect_close(double value, double expected, const std::string& what) {
  EXPECT_NEAR(value, expected, 1e-9 * std::abs(expected) + 1e-10) << what;
}

struct Formula {
  std::shared_ptr<NeuralProcess> model;
  Batch batch;

  double loss() { return model->loss(batch).item<double>(); }
  double target() { return model->log_likelihood(batch).item<double>(); }
  double context() { return model->log_likelihood({batch.xc, batch.yc, batch.xc, batch.yc}).item<double>(); }
};

Formula make(const std::string& name, std::size_t task) {
  ModelConfig config = training::default_config(name, tasks[task]);
  config.CMAB_block_size = 3;
  config.AND_block_size = 2;
  config.eval_num_samples = 3;
  Formula formula{training::make_model(name, config), formula_batch(config)};
  set_formula_weights(*formula.model);
  formula.model->use(formula_randomness());
  return formula;
}

class FormulaValues : public ::testing::TestWithParam<std::size_t> {
 protected:
  torch::NoGradGuard no_grad_;
};

struct Conditional {
  const char* model;
  Values context, target, loss, mean, std;
};
const Conditional conditional[] = {
    {"cnp",
     {-1.0743080686, -1.0839954298, -3.2386915242},
     {-1.1232128401, -1.1315071879, -3.3448307926},
     {1.0946850568, 1.1037919956, 3.2829162194},
     {0.1037811875, 0.0989882672, 0.1033897440},
     {0.7603674373, 0.7585778406, 0.6938988629}},
    {"canp",
     {-1.1175426543, -1.0889159452, -3.2627121118},
     {-1.1512676319, -1.1166965831, -3.3949238935},
     {1.1315947283, 1.1004912110, 3.3178003542},
     {0.1022051921, 0.0794975009, 0.1048683277},
     {0.7660260744, 0.8343729145, 0.6831935090}},
};

TEST_P(FormulaValues, Conditional) {
  const std::size_t t = GetParam();
  for (const Conditional& expected : conditional) {
    Formula formula = make(expected.model, t);
    expect_close(formula.context(), expected.context[t], expected.model);
    expect_close(formula.target(), expected.target[t], expected.model);
    expect_close(formula.loss(), expected.loss[t], expected.model);
    const auto prediction = formula.model->predict(formula.batch.xc, formula.batch.yc, formula.batch.xt);
    expect_close(prediction.mean[0][0][0].item<double>(), expected.mean[t], expected.model);
    expect_close(prediction.std[0][0][0].item<double>(), expected.std[t], expected.model);
  }
}

struct Latent {
  const char* model;
  Values loss4, loss1, target;
};
const Latent latent[] = {
    {"np",
     {1.0948347786, 1.1040705529, 3.2828818275},
     {1.0948777682, 1.1037948223, 3.2829240901},
     {-1.1232128401, -1.1315071879, -3.3448307926}},
    {"anp",
     {1.1484275108, 1.1061750241, 3.3232308293},
     {1.1528414739, 1.1079322513, 3.3201617144},
     {-1.1512676319, -1.1166965831, -3.3949238935}},
};

TEST_P(FormulaValues, Latent) {
  const std::size_t t = GetParam();
  for (const Latent& expected : latent) {
    Formula formula = make(expected.model, t);
    expect_close(formula.loss(), expected.loss4[t], expected.model);
    formula.model->settings().train_num_samples = 1;
    expect_close(formula.loss(), expected.loss1[t], expected.model);
    expect_close(formula.target(), expected.target[t], expected.model);
  }
}

struct Bootstrap {
  const char* model;
  Values loss, context, target;
};
const Bootstrap bootstrap_values[] = {
    {"bnp",
     {2.1866473288, 2.2063392532, 6.5679525262},
     {-1.0679482522, -1.0825219128, -3.2405254270},
     {-1.1257093122, -1.1305931566, -3.3473467410}},
    {"banp",
     {2.3039047766, 2.2042160905, 6.6632574813},
     {-1.1653485390, -1.0917438009, -3.2911526880},
     {-1.1818716704, -1.1203866798, -3.4212729552}},
};

TEST_P(FormulaValues, Bootstrap) {
  const std::size_t t = GetParam();
  for (const Bootstrap& expected : bootstrap_values) {
    Formula formula = make(expected.model, t);
    expect_close(formula.loss(), expected.loss[t], expected.model);
    expect_close(formula.context(), expected.context[t], expected.model);
    expect_close(formula.target(), expected.target[t], expected.model);
  }
}

struct Diagonal {
  const char* model;
  Values target, mean, std;
};
const Diagonal diagonal[] = {
    {"tnpd",
     {-1.4858710041, -1.3311626486, -4.1890127855},
     {0.4410700307, 0.4344094656, 0.4329805274},
     {1.4049209785, 0.9043429310, 1.3928155161}},
    {"eqtnp",
     {-1.2647782551, -1.5957367992, -3.8981525475},
     {0.3376126390, 0.4042126624, 0.3343409904},
     {0.8062057824, 0.5781974390, 0.5896544531}},
    {"lbanp",
     {-1.2207877646, -1.3007226840, -3.9423162938},
     {0.2631783377, 0.2612033318, 0.2592158462},
     {0.8115363258, 0.6099036248, 0.5426112361}},
    {"cmanp",
     {-1.2268062835, -1.2442385185, -3.8930332078},
     {0.2132605937, 0.2296968004, 0.2459915692},
     {0.8389969026, 0.6190407117, 0.5512173019}},
};

TEST_P(FormulaValues, Diagonal) {
  const std::size_t t = GetParam();
  for (const Diagonal& expected : diagonal) {
    Formula formula = make(expected.model, t);
    expect_close(formula.target(), expected.target[t], expected.model);
    expect_close(formula.loss(), -expected.target[t], expected.model);
    const auto prediction = formula.model->predict(formula.batch.xc, formula.batch.yc, formula.batch.xt);
    expect_close(prediction.mean[0][0][0].item<double>(), expected.mean[t], expected.model);
    expect_close(prediction.std[0][0][0].item<double>(), expected.std[t], expected.model);
  }
}

TEST_P(FormulaValues, Autoregressive) {
  const Values expected{-1.4882071667, -1.3318500868, -4.1900968787};
  Formula formula = make("tnpa", GetParam());
  expect_close(formula.target(), expected[GetParam()], "tnpa");
  expect_close(formula.loss(), -expected[GetParam()], "tnpa");
}

struct Joint {
  const char* model;
  Values target, loss;
};
const Joint joint_models[] = {
    {"tnpnd", {-4.5473636011, -3.6600813788, -8.4905163235}, {22.7368180055, 18.3004068941, 42.4525816173}},
    {"lbanpnd", {-8.5393043848, -5.9344301210, -13.7917119225}, {42.6965219240, 29.6721506048, 68.9585596124}},
};

TEST_P(FormulaValues, Joint) {
  const std::size_t t = GetParam();
  for (const Joint& expected : joint_models) {
    Formula formula = make(expected.model, t);
    expect_close(formula.target(), expected.target[t], expected.model);
    expect_close(formula.loss(), expected.loss[t], expected.model);
  }
}

TEST_P(FormulaValues, InBlocks) {
  const std::size_t t = GetParam();
  const Values by_two{-12.8781551688, -7.4771708067, -19.6407530280};
  const Values by_one{-16.6802172141, -9.3867446027, -22.6904531223};
  const Values at_once{-9.2189711857, -5.9672268476, -13.4556733079};
  const Values loss{46.0948559287, 29.8361342381, 67.2783665396};
  Formula formula = make("cmanpand", t);
  expect_close(formula.target(), by_two[t], "b_Q = 2");
  formula.model->settings().AND_block_size = 1;
  expect_close(formula.target(), by_one[t], "b_Q = 1");
  formula.model->settings().AND_block_size = 0;
  expect_close(formula.target(), at_once[t], "one block");
  expect_close(formula.loss(), loss[t], "loss");
}

INSTANTIATE_TEST_SUITE_P(Tasks, FormulaValues, ::testing::Values(0, 1, 2),
                         [](const auto& test) { return tasks[test.param]; });

}  // namespace
}  // namespace cmanp::testing
