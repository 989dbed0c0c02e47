// What the GP task draws is what it says: kernels, moments, ranges, noise; and it is the same for the same seed.
#include "training/tasks/gp_task.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "support/error_message.hpp"
#include "training/tasks/prefetcher.hpp"

namespace cmanp::training {
namespace {

Random random_of(std::uint64_t index) { return Random(7, Stream::training, index); }

TEST(GaussianProcess, KernelsHaveTheirFormulasValues) {
  // Distance 0.6, length 0.3, scale 2: worked out by hand from the definitions.
  const GaussianProcess rbf{Kernel::rbf, 0.3, 2, 1, 0}, matern{Kernel::matern, 0.3, 2, 1, 0},
      periodic{Kernel::periodic, 0.3, 2, 0.4, 0};
  EXPECT_NEAR(rbf.covariance(0.1, 0.7), 4 * std::exp(-2.0), 1e-12);
  EXPECT_NEAR(matern.covariance(0.7, 0.1), 4 * (1 + 4.4721359549995796 + 20.0 / 3) * std::exp(-4.4721359549995796),
              1e-12);
  EXPECT_NEAR(periodic.covariance(0.1, 0.7), 4 * std::exp(-2 / 0.09), 1e-12);  // sin(1.5 pi)^2 = 1
  EXPECT_NEAR(periodic.covariance(0.1, 0.9), 4, 1e-12);                        // two periods away
  const GaussianProcess sum{Kernel::rbf, 0.3, 2, 1, 0, 0.25, 0.6};
  EXPECT_NEAR(sum.covariance(0.1, 0.7), 3 * std::exp(-2.0) + std::exp(-0.5), 1e-12);
}

TEST(GaussianProcess, DrawsHaveTheKernelsCovariance) {
  const std::vector<double> x{-1, -0.8, 0.1};
  for (const Kernel kernel : {Kernel::rbf, Kernel::matern, Kernel::periodic}) {
    const GaussianProcess process{kernel, 0.4, 0.9, 0.45, 0.01};
    const std::vector<double> factor = process.factor(x);
    Random random = random_of(0);
    constexpr int kDraws = 40000;
    double products[3][3] = {};
    for (int i = 0; i < kDraws; ++i) {
      const std::vector<double> y = draw(factor, x.size(), random);
      for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) products[a][b] += y[a] * y[b] / kDraws;
      }
    }
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 3; ++b) {
        const double wanted = process.covariance(x[a], x[b]) + (a == b ? 0.01 : 0);
        EXPECT_NEAR(products[a][b], wanted, 0.03) << "points " << a << ", " << b;  // about five standard errors
      }
    }
  }
}

// Conditioning by solving with the whole covariance matrix instead of by its factor.
TEST(GaussianProcess, PredictiveLikelihoodIsThatOfConditioning) {
  const GaussianProcess process{Kernel::matern, 0.5, 0.8, 1, 4e-4};
  Random random = random_of(1);
  std::vector<double> x(9);
  for (double& value : x) value = random.uniform(-2, 2);
  const std::vector<double> y = draw(process.factor(x), x.size(), random);
  const std::int64_t context = 5, targets = 4;
  torch::Tensor k = torch::zeros({9, 9}, torch::kDouble), ys = torch::tensor(y, torch::kDouble);
  for (int i = 0; i < 9; ++i) {
    for (int j = 0; j < 9; ++j) k[i][j] = process.covariance(x[i], x[j]) + (i == j ? 4e-4 : 0);
  }
  const auto cc = k.slice(0, 0, context).slice(1, 0, context), tc = k.slice(0, context).slice(1, 0, context);
  const torch::Tensor weights = torch::linalg_solve(cc, tc.t()).t();  // [targets, context]
  const torch::Tensor rest = ys.slice(0, context) - weights.mv(ys.slice(0, 0, context));
  const torch::Tensor cov = k.slice(0, context).slice(1, context) - weights.mm(tc.t());
  const double log_2pi = std::log(2 * M_PI);
  const double joint = -0.5 * (rest.dot(torch::linalg_solve(cov, rest)).item<double>() +
                               torch::logdet(cov).item<double>() + targets * log_2pi);
  const torch::Tensor variance = cov.diagonal();
  const double marginal =
      -0.5 * (rest.square().div(variance).sum() + variance.log().sum()).item<double>() - 0.5 * targets * log_2pi;
  const Limits limits = process.predictive_likelihood(x, y, context);
  EXPECT_NEAR(limits.joint, joint / targets, 1e-8);
  EXPECT_NEAR(limits.marginal, marginal / targets, 1e-8);
}

// Places that were observed and others, by solving with the covariance matrix.
TEST(GaussianProcess, PosteriorIsThatOfConditioning) {
  const GaussianProcess process{Kernel::rbf, 0.5, 0.8, 1, 4e-4};
  Random random = random_of(2);
  std::vector<double> x(6);
  for (double& value : x) value = random.uniform(-2, 2);
  const std::vector<double> y = draw(process.factor(x), x.size(), random), asked{x[0], 0.3, x[4], -1.2};
  const auto covariances = [&](const std::vector<double>& a, const std::vector<double>& b) {
    torch::Tensor k = torch::zeros({static_cast<int>(a.size()), static_cast<int>(b.size())}, torch::kDouble);
    for (int i = 0; i < k.size(0); ++i) {
      for (int j = 0; j < k.size(1); ++j) k[i][j] = process.covariance(a[i], b[j]);
    }
    return k;
  };
  const torch::Tensor noisy = covariances(x, x) + 4e-4 * torch::eye(6, torch::kDouble);
  const torch::Tensor cross = covariances(asked, x), weights = torch::linalg_solve(noisy, cross.t()).t();
  const torch::Tensor mean = weights.mv(torch::tensor(y, torch::kDouble));
  const torch::Tensor covariance =
      covariances(asked, asked) - weights.mm(cross.t()) + 4e-4 * torch::eye(4, torch::kDouble);
  const Posterior known = process.posterior(x, y, asked, true);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(known.mean[i], mean[i].item<double>(), 1e-9);
    EXPECT_NEAR(known.variance[i], covariance[i][i].item<double>(), 1e-9);
    for (int j = 0; j < 4; ++j) EXPECT_NEAR(known.covariance[i * 4 + j], covariance[i][j].item<double>(), 1e-9);
  }
  EXPECT_TRUE(process.posterior(x, y, asked, false).covariance.empty());
}

// What a batch says of its targets is how they are distributed; the batch itself is the same as without.
TEST(GpTask, TruthIsHowTargetsAreDistributed) {
  const GpTask silent({.extra_targets = 5}), each({.extra_targets = 5, .truth = Asked::each}),
      jointly({.extra_targets = 5, .truth = Asked::jointly});
  double squares = 0, count = 0;
  for (std::uint64_t k = 0; k < 200; ++k) {
    Random a = random_of(k), b = random_of(k), c = random_of(k);
    const Batch plain = silent.next(a), batch = each.next(b), joint = jointly.next(c);
    EXPECT_FALSE(plain.truth.defined());
    ASSERT_TRUE(torch::equal(plain.yt, batch.yt));
    ASSERT_TRUE(torch::equal(joint.truth.variance, batch.truth.variance));
    EXPECT_TRUE(torch::equal(joint.truth.covariance.diagonal(0, 1, 2), batch.truth.variance.squeeze(-1)));
    const std::int64_t targets = batch.xt.size(1);
    ASSERT_EQ(batch.truth.mean.size(1), batch.xc.size(1) + targets);
    const Truth truth = batch.truth.of_targets(targets);
    squares += ((batch.yt - truth.mean).square() / truth.variance).sum().item<double>();
    count += static_cast<double>(batch.yt.numel());
    // A context point seen once more is about where it was.
    const torch::Tensor again = batch.truth.mean.narrow(1, 0, batch.xc.size(1));
    EXPECT_LT((again - batch.yc).abs().max().item<double>(), 0.12);
    EXPECT_TRUE(torch::equal(with_context_as_targets(batch).truth.mean, batch.truth.mean));
  }
  EXPECT_NEAR(squares / count, 1, 0.05);
  Random d = random_of(0);
  EXPECT_FALSE(each.next_for_evaluation(d).batch.truth.defined());
}

TEST(GpTask, PointsAndSizesStayInTheirRanges) {
  const GpTask task({});
  std::set<std::int64_t> contexts, most_targets;
  double squares = 0, values = 0;
  for (std::uint64_t k = 0; k < 3000; ++k) {
    Random random = random_of(k);
    const Batch batch = task.next(random);
    const std::int64_t n = batch.xc.size(1), m = batch.xt.size(1);
    ASSERT_EQ(batch.xc.sizes(), (std::vector<std::int64_t>{16, n, 1}));
    ASSERT_EQ(batch.yt.sizes(), (std::vector<std::int64_t>{16, m, 1}));
    ASSERT_GE(n, 3);
    ASSERT_LE(n, 46);
    ASSERT_GE(m, 3);
    ASSERT_LE(m, 49 - n);
    contexts.insert(n);
    if (m == 49 - n) most_targets.insert(n);
    for (const torch::Tensor& x : {batch.xc, batch.xt}) {
      ASSERT_GE(x.min().item<float>(), -2);
      ASSERT_LT(x.max().item<float>(), 2);
    }
    squares += batch.yt.square().sum().item<double>();
    values += static_cast<double>(batch.yt.numel());
  }
  EXPECT_EQ(*contexts.begin(), 3);
  EXPECT_EQ(*contexts.rbegin(), 46);
  EXPECT_EQ(contexts.size(), 44U);
  EXPECT_GT(most_targets.size(), 10U);               // the upper end is reached
  EXPECT_NEAR(squares / values, 0.37 + 4e-4, 0.01);  // E s^2 over U[0.1, 1) is 0.37; plus the noise
}

// Neighbours differ more where lengths are short: the two variants cannot be mixed up.
TEST(GpTask, VariantsDifferInLength) {
  const auto roughness = [](const std::string& variant) {
    const GpTask task({.variant = variant});
    double sum = 0;
    for (std::uint64_t k = 0; k < 300; ++k) {
      Random random = random_of(k);
      const EvaluationBatch batch = task.next_for_evaluation(random);
      sum += batch.limits->marginal / 300;
    }
    return sum;
  };
  EXPECT_GT(roughness("paper-text"), roughness("paper-code") + 0.2);  // long lengths are easier to predict
  EXPECT_LT(roughness("wide"), roughness("paper-code") - 0.01);
  EXPECT_LT(roughness("sums"), roughness("wide") - 0.01);
}

TEST(GpTask, StudentNoiseIsAddedAndHasNoLimit) {
  const GpTask clean({}), noisy({.t_noise = 0.3}), random_factor({.t_noise = -1});
  double clean_largest = 0, noisy_largest = 0;
  for (std::uint64_t k = 0; k < 50; ++k) {
    Random a = random_of(k), b = random_of(k), c = random_of(k);
    clean_largest = std::max(clean_largest, clean.next(a).yt.abs().max().item<double>());
    const EvaluationBatch batch = noisy.next_for_evaluation(b);
    EXPECT_FALSE(batch.limits.has_value());
    noisy_largest = std::max(noisy_largest, batch.batch.yt.abs().max().item<double>());
    EXPECT_TRUE(random_factor.next(c).yc.isfinite().all().item<bool>());
  }
  EXPECT_LT(clean_largest, 5);
  EXPECT_GT(noisy_largest, 5);  // the heavy tail: 2.1 degrees of freedom
}

TEST(GpTask, StudentNumbersHaveTheirTails) {
  Random random = random_of(0);
  int beyond = 0;
  for (int i = 0; i < 100000; ++i) beyond += std::abs(random.student_t(3)) > 3.182446 ? 1 : 0;
  EXPECT_NEAR(beyond / 100000.0, 0.05, 0.003);  // the 97.5 % quantile of t with 3 degrees of freedom
}

TEST(GpTask, RefusesWhatMakesNoSense) {
  using testing::error_message;
  EXPECT_NE(error_message([] { GpTask({.kernel = "linear"}); }).find("'linear'"), std::string::npos);
  EXPECT_NE(error_message([] { GpTask({.variant = "paper"}); }).find("'paper'"), std::string::npos);
  EXPECT_NE(error_message([] { GpTask({.batch = 0}); }).find("batch is 0"), std::string::npos);
  EXPECT_NE(error_message([] { GpTask({.max_points = 6}); }).find("max_points is 6"), std::string::npos);
  EXPECT_NE(error_message([] { GpTask({.t_noise = 1, .truth = Asked::each}); }).find("t_noise"), std::string::npos);
  EXPECT_NE(error_message([] { GpTask({.t_noise = -0.5}); }).find("t_noise is -0.5"), std::string::npos);
}

TEST(Prefetcher, BatchesDependOnSeedAndStepOnly) {
  const auto task = std::make_shared<GpTask>(GpSettings{});
  Prefetcher from_start(task, 5, 0, 2), from_third(task, 5, 3, 8), other_seed(task, 6, 0);
  std::vector<Batch> batches;
  for (int k = 0; k < 6; ++k) batches.push_back(from_start.next());
  for (int k = 3; k < 6; ++k) {
    const Batch batch = from_third.next();
    EXPECT_TRUE(torch::equal(batch.xc, batches[k].xc));
    EXPECT_TRUE(torch::equal(batch.yt, batches[k].yt));
  }
  EXPECT_FALSE(torch::equal(other_seed.next().xc, batches[0].xc));
  EXPECT_FALSE(torch::equal(batches[1].xc, batches[0].xc));
}

class FailingTask : public GpTask {
 public:
  FailingTask() : GpTask(GpSettings{}) {}
  Batch next(Random&) const override { throw Error("no more functions"); }
};

TEST(Prefetcher, PassesFailuresOn) {
  Prefetcher batches(std::make_shared<FailingTask>(), 0, 0);
  EXPECT_EQ(testing::error_message([&] { batches.next(); }), "no more functions");
}

}  // namespace
}  // namespace cmanp::training
