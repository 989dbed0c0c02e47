// Image completion: some pixels of a picture are given, others are asked for; the published protocol.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "images/class_ranges.hpp"
#include "images/packed_images.hpp"
#include "training/tasks/task.hpp"

namespace cmanp::training {

struct ImageSettings {
  std::string name = "image";      // of the data, for files
  std::string classes = "all";     // such as 0-9
  std::int64_t batch = 100;        // pictures of a training step; evaluation has 16
  std::int64_t max_points = 200;   // context and target pixels together stay below
  std::int64_t max_targets = 400;  // targets stay below, in training; 0: any number
  std::int64_t extra_targets = 0;  // of every training batch; evaluation has none
  double t_noise = 0;              // times Student-t(2.1) noise on every y; -1: times 0.09 U[0, 1), each anew
  std::int64_t context = 0;        // of every evaluation task, exactly; 0: drawn
  bool mirror = false;             // every other training picture as a mirror shows it
  std::int64_t shift = 0;          // training pictures are moved by up to so many pixels, down and across
};

// Trains on the pictures of train and validation, evaluates on those of test.
class ImageTask : public Task {
 public:
  // Throws Error on what makes no sense, and where no picture is of these classes.
  ImageTask(images::PackedImages images, const ImageSettings& settings);

  std::string name() const override;
  std::int64_t dim_x() const override { return 2; }
  std::int64_t dim_y() const override { return static_cast<std::int64_t>(images_.header().channels); }
  Range range() const override { return {-1, 1}; }

  // Any pictures; training_batch goes through all of them, in another order every time.
  Batch next(Random& random) const override;
  Batch training_batch(std::uint64_t seed, std::uint64_t step) const override;

  // Batch k has the test pictures 16 k to 16 k + 15.
  EvaluationBatch evaluation_batch(std::size_t index, Random& random) const override;
  std::size_t evaluation_batches() const override;

  std::size_t training_pictures() const { return training_.size(); }
  std::size_t test_pictures() const { return test_.size(); }

 private:
  using Pictures = std::vector<std::uint32_t>;

  struct View;

  // How a training picture is looked at; evaluation's are as they are.
  View draw_view(Random& random, bool training) const;
  Batch sample(std::span<const std::uint32_t> pictures, Random& random, bool training) const;
  std::int64_t draw_targets(std::int64_t context, Random& random, bool training) const;
  float draw_noise(Random& random) const;
  std::shared_ptr<const Pictures> epoch_order(std::uint64_t seed, std::uint64_t epoch) const;

  images::PackedImages images_;
  ImageSettings settings_;
  Pictures training_, test_;  // by their numbers in images_

  // The order of the epoch that was asked for last.
  mutable std::mutex mutex_;
  mutable std::uint64_t order_seed_ = 0, order_epoch_ = 0;
  mutable std::shared_ptr<const Pictures> order_;
};

}  // namespace cmanp::training
