// What learns from points and answers questions about others: a Context, or what the training half has in its place.
// Completed pictures, plots and streams know no more of either.
#pragma once

#include <cmanp/context.hpp>
#include <cmanp/predictor.hpp>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/unusual.hpp"

namespace cmanp::runtime {

// Points as a Context has them. One learner belongs to one thread at a time.
class Learner {
 public:
  virtual ~Learner() = default;

  virtual const Config& config() const = 0;  // dim_x and dim_y may be all that it says
  virtual void observe(std::span<const double> x, std::span<const double> y) = 0;
  virtual void reset() = 0;
  virtual std::uint64_t size() const = 0;
  virtual void predict(std::span<const double> x, std::span<double> mean, std::span<double> std) = 0;
  virtual void sample(std::span<const double> x, std::span<double> out, const SampleOptions& options) const = 0;

  // The likelihood by what was observed so far, in the model's own way: on a thread of its own where this learner has
  // several and can share them, else when it is asked for.
  virtual std::future<Score> start_score(std::vector<double> x, std::vector<double> y) const = 0;

  virtual std::unique_ptr<Learner> copy() const = 0;  // independent from then on

  virtual const std::optional<Normalisation>& frame() const;  // as a Context has it; none, and no range, by default
  virtual Range range() const { return {}; }
  virtual bool moves_on() const { return false; }  // its range goes where the observations go

  // What was usual so far, of each y of a stream that was asked for it; else empty. Kept where a state is.
  virtual std::vector<base::Unusual>& unusual() { return unusual_; }

 protected:
  Learner() = default;
  Learner(const Learner&) = default;
  Learner& operator=(const Learner&) = default;

 private:
  std::vector<base::Unusual> unusual_;
};

class ContextLearner : public Learner {
 public:
  explicit ContextLearner(Context context) : context_(std::move(context)) {}

  const Context& context() const { return context_; }

  const Config& config() const override { return context_.model().config(); }
  void observe(std::span<const double> x, std::span<const double> y) override { context_.observe(x, y); }
  void reset() override { context_.reset(); }
  std::uint64_t size() const override { return context_.size(); }
  void predict(std::span<const double> x, std::span<double> mean, std::span<double> std) override {
    context_.predict(x, mean, std);
  }
  void sample(std::span<const double> x, std::span<double> out, const SampleOptions& options) const override {
    cmanp::sample(context_, x, out, options);
  }
  std::future<Score> start_score(std::vector<double> x, std::vector<double> y) const override;
  std::unique_ptr<Learner> copy() const override { return std::make_unique<ContextLearner>(*this); }
  const std::optional<Normalisation>& frame() const override { return context_.frame(); }
  Range range() const override { return context_.range(); }
  bool moves_on() const override;
  std::vector<base::Unusual>& unusual() override;

 private:
  Context context_;
};

}  // namespace cmanp::runtime
