// What a model knows of one task: it takes in observations, in memory that does not grow with their number, and
// answers with predictive distributions. One context belongs to one thread at a time; many may share a model.
//
// Points are row-major: `x` holds n * dim_x numbers, `y` n * dim_y, in the units of the raw data.
#pragma once

#include <cmanp/model.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

namespace cmanp {

namespace runtime {
class ContextEngine;
}

class Context {
 public:
  explicit Context(Model model, const ContextOptions& options = {});
  Context(const Context& other);  // a deep copy, independent from then on
  Context& operator=(const Context& other);
  Context(Context&&) noexcept;
  Context& operator=(Context&&) noexcept;
  ~Context();

  // Takes in one point or many. Refuses NaN and infinity, and then keeps nothing of the call.
  void observe(std::span<const double> x, std::span<const double> y);

  // Adds all that `other`, of the same model, has observed.
  void merge(const Context& other);

  // Back to having seen nothing.
  void reset();

  // Number of points observed.
  std::uint64_t size() const;

  // Mean and standard deviation of each target by itself. Answers before the first observation, too.
  void predict(std::span<const double> x, std::span<double> mean, std::span<double> std);

  // The joint distribution of up to `block` targets: mean [n * dim_y] and the lower Cholesky factor of the
  // covariance [n * dim_y][n * dim_y], index = target * dim_y + channel. A diagonal model gives a diagonal factor.
  void predict_joint(std::span<const double> x, std::span<double> mean, std::span<double> scale_tril);

  // The state as one file, replaced atomically; it can only be loaded into the model it was made with.
  void save(const std::filesystem::path& path) const;
  static Context load(Model model, const std::filesystem::path& path, const ContextOptions& options = {});

  const Model& model() const;
  const ContextOptions& options() const;
  Memory memory() const;

  runtime::ContextEngine& engine() { return *engine_; }
  const runtime::ContextEngine& engine() const { return *engine_; }

 private:
  std::unique_ptr<runtime::ContextEngine> engine_;
};

}  // namespace cmanp
