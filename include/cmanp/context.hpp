// What a model knows of one task: it takes in observations, in memory that does not grow with their number, and
// answers with predictive distributions.
#pragma once

#include <cmanp/export.h>

#include <cmanp/model.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cmanp {

namespace runtime {
class ContextEngine;
}

// One context belongs to one thread at a time; many may share a model.
//
// Points are row-major: `x` holds n * dim_x numbers, `y` n * dim_y, in the units of the raw data.
class CMANP_API Context {
 public:
  explicit Context(Model model, const ContextOptions& options = {});
  Context(const Context& other);                                 // a deep copy, independent from then on
  Context(const Context& other, const ContextOptions& options);  // the same with threads and block of its own
  Context& operator=(const Context& other);
  Context(Context&&) noexcept;
  Context& operator=(Context&&) noexcept;
  ~Context();

  // Takes in one point or many. Refuses NaN and infinity, and then keeps nothing of the call.
  void observe(std::span<const double> x, std::span<const double> y);

  // The same of data that are at hand as a whole: a context that has no frame yet, and needs one, finds it from all of
  // them, and from what it has observed before, not from the first alone.
  void observe_whole(std::span<const double> x, std::span<const double> y);

  // Adds all that `other`, of the same model, has observed. Contexts of different frames are refused.
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

  // The same without a file: the very bytes that save() writes. `name` stands for the file in error messages.
  std::vector<std::byte> to_bytes() const;
  static Context from_bytes(Model model, std::span<const std::byte> bytes, const ContextOptions& options = {},
                            const std::string& name = "state");

  // The frame, once there is one.
  const std::optional<Normalisation>& frame() const;

  // Where points may lie, in the caller's units: of models in relative coordinates, once there is a frame if they need
  // one; else empty.
  Range range() const;

  const Model& model() const;
  const ContextOptions& options() const;
  Memory memory() const;

 private:
  friend struct runtime::Access;

  explicit Context(std::unique_ptr<runtime::ContextEngine> engine);

  std::unique_ptr<runtime::ContextEngine> engine_;
};

}  // namespace cmanp
