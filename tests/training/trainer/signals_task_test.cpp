// Task signals draws what docs/universal.md says: kernels, places, noise, frames, and what it knows of its own targets.
#include "training/tasks/signals_task.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/frame.hpp"
#include "support/error_message.hpp"
#include "training/trainer/settings.hpp"

namespace cmanp::training {
namespace {

using testing::error_message;

Random stream_of(std::uint64_t index) { return Random(11, Stream::training, index); }

// Nothing but a kernel and normal noise.
SignalPrior plain_prior(const std::string& kernels) {
  SignalPrior prior;
  prior.kernels = kernels;
  prior.parts = 1;
  prior.jumps = prior.changes = prior.drifting = 0;
  prior.only_gaussian = true;
  return prior;
}

TEST(SignalKernels, HaveTheirFormulasValues) {
  const auto at = [](Simple kind, double a, double b) {
    return SimpleKernel{kind, /*length=*/0.5, /*period=*/0.8, /*shape=*/0.7, /*origin=*/0.1}.covariance(a, b);
  };
  // Distance 0.6; from the origin 0.2 and 0.8.
  EXPECT_NEAR(at(Simple::rbf, 0.3, 0.9), std::exp(-0.72), 1e-12);
  EXPECT_NEAR(at(Simple::matern12, 0.9, 0.3), std::exp(-1.2), 1e-12);
  EXPECT_NEAR(at(Simple::matern32, 0.3, 0.9), (1 + 1.2 * std::sqrt(3)) * std::exp(-1.2 * std::sqrt(3)), 1e-12);
  EXPECT_NEAR(at(Simple::matern52, 0.3, 0.9), (1 + 1.2 * std::sqrt(5) + 2.4) * std::exp(-1.2 * std::sqrt(5)), 1e-12);
  EXPECT_NEAR(at(Simple::rational_quadratic, 0.3, 0.9), std::pow(1 + 1.44 / 1.4, -0.7), 1e-12);
  const double wave = std::exp(-2 * 0.5 / 0.49);  // sin(0.75 pi)^2 = 0.5
  EXPECT_NEAR(at(Simple::periodic, 0.3, 0.9), wave, 1e-12);
  EXPECT_NEAR(at(Simple::periodic, 0.3, 1.9), 1, 1e-12);  // two periods away
  EXPECT_NEAR(at(Simple::locally_periodic, 0.3, 0.9), wave * std::exp(-0.72), 1e-12);
  EXPECT_NEAR(at(Simple::linear, 0.3, 0.9), 0.16, 1e-12);
  EXPECT_NEAR(at(Simple::random_walk, 0.3, 0.9), 0.2, 1e-12);  // the nearer one
  EXPECT_NEAR(at(Simple::random_walk, -0.3, 0.9), 0, 1e-12);   // on different sides
  EXPECT_NEAR(at(Simple::trend, 0.3, 0.9), 0.04 * (2.4 - 0.2) / 6 + 0.5 * 0.16, 1e-12);
  EXPECT_NEAR(at(Simple::trend, -0.3, 0.9), 0.5 * -0.4 * 0.8, 1e-12);  // only the slope goes through
}

// The integrals that random walk and trend are called after: W from its steps, and the sum of W.
TEST(SignalKernels, WalkAndTrendAreSumsOfSteps) {
  constexpr int kDraws = 20000, kSteps = 200;
  constexpr double kStep = 0.01, kSlope = 0.3;
  double walk = 0, trend = 0;
  Random random = stream_of(0);
  for (int i = 0; i < kDraws; ++i) {
    double w = 0, f = 0, w_half = 0, f_half = 0;
    const double slope = std::sqrt(kSlope) * random.normal();
    for (int step = 1; step <= kSteps; ++step) {
      const double before = w;
      w += std::sqrt(kStep) * random.normal();
      f += kStep * (0.5 * (before + w) + slope);
      if (2 * step == kSteps) w_half = w, f_half = f;
    }
    walk += w * w_half / kDraws;
    trend += f * f_half / kDraws;
  }
  EXPECT_NEAR(walk, (SimpleKernel{Simple::random_walk}.covariance(1, 2)), 0.06);
  EXPECT_NEAR(trend, (SimpleKernel{Simple::trend, kSlope}.covariance(1, 2)), 0.08);
}

// What signals of each kernel show, by Monte Carlo: covariances about the mean of three places, before any frame.
TEST(SignalKernels, DrawsHaveEachKernelsCovariance) {
  const std::vector<double> x{-1.1, 0.2, 0.7};
  for (std::size_t k = 0; k < simple_kernel_names().size(); ++k) {
    SCOPED_TRACE(simple_kernel_names()[k]);
    Random random = stream_of(100 + k);
    const SignalPrior prior = plain_prior(simple_kernel_names()[k]);
    const SignalKernel kernel = draw_kernel(prior, parse_kernels(prior.kernels), {-2, 2}, random);
    torch::Tensor covariance = torch::empty({3, 3}, torch::kFloat64);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) covariance[i][j] = kernel.covariance(x[i], x[j]) + (i == j ? 1e-6 : 0);
    }
    const torch::Tensor lower = torch::linalg_cholesky(covariance);  // throws where it is no covariance
    constexpr int kDraws = 40000;
    torch::Tensor z = torch::empty({kDraws, 3}, torch::kFloat64);
    for (std::int64_t i = 0; i < z.numel(); ++i) z.data_ptr<double>()[i] = random.normal();
    const torch::Tensor y = z.mm(lower.t()), found = y.t().mm(y) / kDraws;
    const torch::Tensor scale = covariance.diagonal().sqrt();
    const torch::Tensor off = (found - covariance) / (scale.unsqueeze(0) * scale.unsqueeze(1));
    EXPECT_LT(off.abs().max().item<double>(), 0.04);  // five standard errors
  }
}

TEST(SignalKernels, SumsOfProductsVaryByOneWithinTheRange) {
  SignalPrior prior;
  std::set<std::size_t> terms, factors;
  Random random = stream_of(1);
  for (int i = 0; i < 500; ++i) {
    const SignalKernel kernel = draw_kernel(prior, parse_kernels("all"), {-3, 3}, random);
    double sum = 0;
    std::size_t parts = 0;
    for (const SignalKernel::Term& term : kernel.terms) {
      sum += variance_within(term, {-3, 3});
      factors.insert(term.factors.size());
      parts += term.factors.size();
    }
    ASSERT_NEAR(sum, 1, 1e-9);
    ASSERT_LE(parts, 3U);
    terms.insert(kernel.terms.size());
  }
  EXPECT_EQ(terms, (std::set<std::size_t>{1, 2, 3}));
  EXPECT_EQ(factors, (std::set<std::size_t>{1, 2, 3}));
}

TEST(SignalKernels, LengthsAndPeriodsGoOverTwoDecades) {
  const SignalPrior prior;
  Random random = stream_of(2);
  int short_lengths = 0, long_lengths = 0;
  for (int i = 0; i < 2000; ++i) {
    const SimpleKernel kernel = draw_simple(Simple::rbf, prior, {-2, 2}, random);
    ASSERT_GE(kernel.length, 0.05);
    ASSERT_LE(kernel.length, 10);
    ASSERT_GE(kernel.period, 0.1);
    ASSERT_LE(kernel.period, 8);
    short_lengths += kernel.length < 0.05 * std::sqrt(200) ? 1 : 0;
    long_lengths += kernel.length > 5 ? 1 : 0;
  }
  EXPECT_NEAR(short_lengths / 2000.0, 0.5, 0.05);  // log-uniform
  EXPECT_NEAR(long_lengths / 2000.0, std::log(2) / std::log(200), 0.03);
}

TEST(SignalPlaces, AreInTheFrameOfTheObserved) {
  const SignalPrior prior;
  bool regular = false, irregular = false, again = false;
  for (std::uint64_t k = 0; k < 300; ++k) {
    Random random = stream_of(k);
    const Places places = draw_places(prior, 150, 60, {0, 0.5}, random);
    ASSERT_EQ(places.observed.size(), 150U);
    ASSERT_EQ(places.asked.size(), 60U);
    const base::Scale frame = base::x_frame(places.observed);
    ASSERT_NEAR(frame.shift, 0, 1e-9);
    ASSERT_NEAR(frame.scale, 1, 1e-9);  // they are in it already
    int beyond = 0;
    for (const double x : places.asked) {
      ASSERT_GE(x, places.range.low - 1e-9);
      ASSERT_LE(x, places.range.high + 0.5 * places.range.width() + 1e-9);
      beyond += x > places.range.high ? 1 : 0;
    }
    EXPECT_GT(beyond, 2);
    std::vector<double> sorted = places.observed;
    std::sort(sorted.begin(), sorted.end());
    std::set<long> gaps;
    for (std::size_t i = 1; i < sorted.size(); ++i) gaps.insert(std::lround(1e6 * (sorted[i] - sorted[i - 1])));
    regular = regular || gaps.size() <= 2;  // rounding
    irregular = irregular || gaps.size() > 100;
    again = again || gaps.contains(0);
  }
  EXPECT_TRUE(regular);
  EXPECT_TRUE(irregular);
  EXPECT_TRUE(again);
}

TEST(SignalPlaces, AreDefinedForNoneOneAndTwo) {
  const SignalPrior prior;
  for (std::size_t observed = 0; observed < 3; ++observed) {
    for (std::uint64_t k = 0; k < 200; ++k) {
      Random random = stream_of(k);
      const Places places = draw_places(prior, observed, 9, {}, random);
      ASSERT_EQ(places.observed.size(), observed);
      EXPECT_GT(places.range.width(), 0);
      for (const double x : places.asked) EXPECT_LE(std::abs(x), 2 + 1e-9);
    }
  }
}

// A dense computation by solving with the covariance matrix instead of by its factor, in the frame's units.
TEST(Signal, KnowsItsTargetsAsConditioningDoes) {
  SignalPrior prior;
  prior.only_gaussian = true;
  prior.jumps = prior.changes = prior.drifting = 0.5;
  prior.no_noise = 0;
  prior.noise_low = 0.05;
  for (std::uint64_t k = 0; k < 40; ++k) {
    Random random = stream_of(k);
    const Signal signal = draw_signal(prior, parse_kernels("all"), {12, 5, true}, {0, 0.5}, random);
    ASSERT_TRUE(signal.parameters.gaussian());
    const SignalParameters& p = signal.parameters;
    std::vector<double> x = signal.places.observed;
    x.insert(x.end(), signal.places.asked.begin(), signal.places.asked.end());
    const auto n = static_cast<std::int64_t>(x.size());
    torch::Tensor covariance = torch::zeros({n, n}, torch::kFloat64), mean = torch::zeros({n}, torch::kFloat64);
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) covariance[i][j] = p.covariance(x[i], x[j]);
      covariance[i][i] += std::pow(p.noise_at(x[i], signal.places.range), 2);
      mean[i] = p.mean(x[i]);
    }
    // The frame is found from what is in it: any affine map of y does, as long as it is the same everywhere.
    const torch::Tensor cc = covariance.slice(0, 0, 12).slice(1, 0, 12), tc = covariance.slice(0, 12).slice(1, 0, 12);
    const torch::Tensor weights = torch::linalg_solve(cc, tc.t()).t();
    const torch::Tensor rest = covariance.slice(0, 12).slice(1, 12) - weights.mm(tc.t());
    // y = scale * framed + shift by two numbers that the truth itself gives away: variances, then means.
    const double least = prior.tolerance * prior.tolerance;
    const double scale = std::sqrt(rest[0][0].item<double>() / (signal.variance[0] - least));
    const torch::Tensor yc = torch::tensor(signal.observed, torch::kFloat64) * scale;
    const torch::Tensor shift_of = torch::ones({5}, torch::kFloat64) - weights.sum(1);
    for (int i = 0; i < 5; ++i) {
      EXPECT_NEAR(signal.variance[i] - least, rest[i][i].item<double>() / (scale * scale),
                  1e-7 + 1e-6 * signal.variance[i]);
      for (int j = 0; j < 5; ++j) {
        const double wanted = rest[i][j].item<double>() / (scale * scale) + (i == j ? least : 0);
        EXPECT_NEAR(signal.covariance[i * 5 + j], wanted,
                    1e-7 + 1e-6 * std::sqrt(signal.variance[i] * signal.variance[j]));
      }
    }
    // scale * mean_i = own mean_i - w_i own mean_c + w_i yc - shift (1 - sum w_i): one shift explains all five.
    const torch::Tensor without = mean.slice(0, 12) + weights.mv(yc - mean.slice(0, 0, 12));
    const torch::Tensor off = without - torch::tensor(signal.mean, torch::kFloat64) * scale;
    const double shift = (off.dot(shift_of) / shift_of.dot(shift_of)).item<double>();
    EXPECT_LT((off - shift * shift_of).abs().max().item<double>(), 1e-5 * (1 + std::abs(shift)));
  }
}

TEST(Signal, IsInTheFrameOfItsObservedValues) {
  const SignalPrior prior;
  for (std::uint64_t k = 0; k < 200; ++k) {
    Random random = stream_of(k);
    const Signal signal = draw_signal(prior, parse_kernels("all"), {30, 10, false}, {}, random);
    const base::Scale frame = base::y_frame(signal.observed);
    std::set<double> distinct(signal.observed.begin(), signal.observed.end());
    if (distinct.size() > 1) {
      EXPECT_NEAR(frame.shift, 0, 1e-6);
      EXPECT_NEAR(frame.scale, 1, 1e-6);
    }
    for (const double y : signal.asked) ASSERT_LE(std::abs(y), prior.farthest);
  }
}

// Whether the truth is given the context or given the signal, targets scatter about it as it says.
TEST(SignalsTask, TruthIsHowTargetsAreDistributed) {
  SignalPrior prior;
  prior.clipped = prior.rounded = 0;  // of which there is no variance
  prior.student = prior.outliers = 0.3;
  prior.no_noise = 0;
  prior.noise_low = 0.05;
  prior.farthest = 1e6;
  SignalsSettings settings{.prior = prior, .batch = 8, .max_points = 80, .targets = 20};
  const SignalsTask task(settings);
  double squares = 0, count = 0;
  for (std::uint64_t k = 0; k < 150; ++k) {
    Random random = stream_of(k);
    const Batch batch = task.next(random);
    ASSERT_EQ(batch.truth.mean.sizes(), batch.yt.sizes());
    const torch::Tensor ratio = (batch.yt - batch.truth.mean).square() / batch.truth.variance;
    squares += ratio.clamp_max(100).sum().item<double>();
    count += static_cast<double>(batch.yt.numel());
  }
  EXPECT_NEAR(squares / count, 1, 0.06);
}

TEST(SignalsTask, WithoutMomentsTheTruthIsTheDrawnValue) {
  SignalPrior prior;
  prior.rounded = 1;
  const SignalsTask task({.prior = prior, .batch = 4, .max_points = 60, .targets = 10});
  Random random = stream_of(3);
  const Batch batch = task.next(random);
  EXPECT_TRUE(torch::equal(batch.truth.mean, batch.yt));
  EXPECT_NEAR(batch.truth.variance.max().item<double>(), prior.tolerance * prior.tolerance, 1e-9);
}

TEST(SignalsTask, NumbersOfPointsAreLogUniformFromNoneOn) {
  const SignalsTask task({});
  int none = 0, hundreds = 0, most = 0;
  constexpr int kDraws = 20000;
  for (std::uint64_t k = 0; k < kDraws; ++k) {
    Random random = stream_of(k);
    const auto count = static_cast<int>(task.draw_count(random));
    ASSERT_LT(count, 1024);
    none += count == 0 ? 1 : 0;
    hundreds += count >= 100 ? 1 : 0;
    most = std::max(most, count);
  }
  EXPECT_NEAR(none / double{kDraws}, std::log(5.0 / 4) / std::log(257), 0.006);
  EXPECT_NEAR(hundreds / double{kDraws}, std::log(1028.0 / 104) / std::log(257), 0.02);
  EXPECT_GT(most, 1000);
}

TEST(SignalsTask, SameSeedSameBits) {
  const SignalsTask task({.prior = {}, .batch = 3, .max_points = 150, .targets = 20});
  for (std::uint64_t k = 0; k < 20; ++k) {
    Random a = stream_of(k), b = stream_of(k), c = stream_of(k + 1);
    const Batch first = task.next(a), second = task.next(b), other = task.next(c);
    EXPECT_TRUE(torch::equal(first.xc, second.xc));
    EXPECT_TRUE(torch::equal(first.yc, second.yc));
    EXPECT_TRUE(torch::equal(first.yt, second.yt));
    EXPECT_TRUE(torch::equal(first.truth.mean, second.truth.mean));
    EXPECT_FALSE(torch::equal(first.xt, other.xt));
  }
}

// With limits that no answer beats, and that the oracle's own answers reach.
TEST(SignalsTask, LimitsAreKnownOfNormalSignals) {
  SignalPrior prior;
  const SignalsSettings any{.prior = prior, .batch = 4, .max_points = 60, .targets = 20};
  Random random = stream_of(4);
  EXPECT_FALSE(SignalsTask(any).next_for_evaluation(random).limits.has_value());
  SignalsSettings normal = any;
  normal.prior.only_gaussian = true;
  normal.prior.tolerance = 1e-6;  // which the limits do not have
  const SignalsTask task(normal);
  for (std::uint64_t k = 0; k < 30; ++k) {
    Random a = stream_of(k), b = stream_of(k);
    const EvaluationBatch evaluated = task.next_for_evaluation(a);
    const Batch known = task.next(b);  // the same draws
    ASSERT_TRUE(torch::equal(evaluated.batch.yt, known.yt));
    EXPECT_FALSE(evaluated.batch.truth.defined());
    const torch::Tensor v = known.truth.variance, off = known.yt - known.truth.mean;
    const double marginal = (-0.5 * off.square() / v - 0.5 * v.log()).mean().item<double>() - 0.5 * std::log(2 * M_PI);
    EXPECT_NEAR(evaluated.limits->marginal, marginal, 0.02);  // of floats
  }
}

TEST(SignalsTask, ItsNameTellsPriorsApart) {
  SignalPrior other;
  other.jumps = 0.2;
  const std::string usual = SignalsTask({}).name();
  EXPECT_EQ(usual, SignalsTask({}).name());
  EXPECT_NE(usual, SignalsTask({.prior = other}).name());
  EXPECT_NE(usual, SignalsTask({.prior = {}, .targets = 97}).name());
  EXPECT_EQ(usual.find('/'), std::string::npos);
}

TEST(SignalsTask, RefusesWhatMakesNoSense) {
  const auto message = [](const std::function<void(SignalsSettings&)>& change) {
    SignalsSettings settings;
    change(settings);
    return error_message([&] { const SignalsTask task(settings); });
  };
  using S = SignalsSettings;
  const auto says = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  says(message([](S& s) { s.prior.kernels = "rbf,wavelet"; }), "'wavelet'");
  says(message([](S& s) { s.prior.kernels = ""; }), "kernels");
  says(message([](S& s) { s.prior.kernels = "rbf,"; }), "kernels");
  says(message([](S& s) { s.prior.parts = 4; }), "parts is 4");
  says(message([](S& s) { s.prior.length_low = 0; }), "length_low");
  says(message([](S& s) { s.prior.length_low = 100; }), "length_low 100");
  says(message([](S& s) { s.prior.noise_high = NAN; }), "noise_low");
  says(message([](S& s) { s.prior.jumps = 1.5; }), "jumps is 1.5");
  says(message([](S& s) { s.prior.horizon = -1; }), "horizon is -1");
  says(message([](S& s) { s.batch = 0; }), "batch is 0");
  says(message([](S& s) { s.max_points = 90; }), "max_points is 90");
  says(message([](S& s) { s.max_points = 30000; }), "20000");
  SignalsSettings tight;
  tight.prior.farthest = 1e-3;
  says(error_message([&] {
         Random random = stream_of(0);
         SignalsTask(tight).next(random);
       }),
       "farthest 0.001");
}

TEST(SignalsSettings, AreCompleteAndChecked) {
  const Settings settings = parse_settings(preset("universal", "cmanp"), "");
  EXPECT_EQ(settings.task, "signals");
  EXPECT_EQ(settings.max_points, 1120);
  EXPECT_EQ(settings.max_targets, 96);
  EXPECT_TRUE(settings.of_task["exact_loss"].get<bool>());
  const nlohmann::ordered_json saved = to_json(settings);
  for (const SettingsKey& key : signal_keys().described()) EXPECT_TRUE(saved.contains(key.name)) << key.name;
  EXPECT_EQ(to_json(parse_settings(saved, "")), saved);
  // Models with other answers learn from drawn values.
  EXPECT_FALSE(parse_settings({{"task", "signals"}, {"model", "np"}}, "").of_task["exact_loss"].get<bool>());
  const auto refused = [](const nlohmann::ordered_json& document) {
    return error_message([&] { parse_settings(document, "here"); });
  };
  EXPECT_NE(refused({{"task", "signals"}, {"model", "np"}, {"exact_loss", true}}).find("exact_loss"),
            std::string::npos);
  EXPECT_NE(refused({{"task", "signals"}, {"t_noise", 0.1}}).find("t_noise"), std::string::npos);
  EXPECT_NE(refused({{"task", "signals"}, {"outliers", 2}}).find("outliers"), std::string::npos);
  EXPECT_NE(refused({{"task", "gp"}, {"outliers", 0.5}}).find("it is for signals"), std::string::npos);
}

}  // namespace
}  // namespace cmanp::training
