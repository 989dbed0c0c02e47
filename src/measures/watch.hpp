// Watches what a model is given, and says where that is beyond what it knows: answers would be nonsense that looks like
// any other.
#pragma once

#include <cmanp/config.hpp>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "measures/knowledge.hpp"

namespace cmanp::measures {

class Watch {
 public:
  // `units`: from the data to what the network sees.
  Watch(std::string model, Knowledge knowledge, Normalisation units);

  void see(std::span<const double> x, std::span<const double> y);
  void see_targets(std::span<const double> x);

  // What is wrong with these points by themselves, or an empty string.
  std::string objection(std::span<const double> x, std::span<const double> y = {}) const;

  // What is wrong so far: a line each, with what to do.
  std::vector<std::string> warnings() const;

  void set_units(Normalisation units) { units_ = std::move(units); }

 private:
  // Of a channel: what was seen of it, in the units of the data.
  struct Seen {
    double low, high;
    void add(double value);
  };
  using Channels = std::vector<Seen>;

  static void add(Channels& channels, std::span<const double> values);
  static std::string outside(const char* name, const Channels& seen, std::size_t channel, const Interval& known,
                             double shift, double scale, double beyond);
  std::string beyond(const Channels& x, const char* name_of_x, const Channels& y) const;
  std::string noise() const;

  std::string model_;
  Knowledge knowledge_;
  Normalisation units_;
  Channels x_, y_, target_x_;
  std::vector<double> first_x_, first_y_;  // of the first points, to tell noise by
};

// The deviation of noise in readings of a function of one variable, where they lie so densely that noise can be told
// from the function; 0 where not. By how far each reading is from the line between its neighbours.
double noise_of(std::span<const double> x, std::span<const double> y);

}  // namespace cmanp::measures
