// NumPy's legacy random numbers (numpy.random.seed and what follows it), bit for bit: published bandit problems are
// drawn by them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace cmanp::bandit {

class NumpyRandom {
 public:
  explicit NumpyRandom(std::uint32_t seed) : bits_(seed) {}

  double uniform();  // [0, 1), 53 bits
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  double normal(double mean, double deviation);
  std::size_t up_to(std::size_t most);  // 0 … most, each as likely

  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i-- > 1;) std::swap(values[i], values[up_to(i)]);
  }

 private:
  std::mt19937 bits_;
  double second_ = 0;
  bool has_second_ = false;
};

}  // namespace cmanp::bandit
