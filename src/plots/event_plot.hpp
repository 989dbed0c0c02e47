// Pictures of event sequences: the intensity that a model predicts along one, and how well calibrated it is.
#pragma once

#include <string>
#include <vector>

namespace cmanp::plots {

struct EventPlot {
  std::string title;
  std::vector<double> time, intensity;         // along the sequence; a NaN between gaps would lift the pen
  std::vector<double> events;                  // when events came
  std::vector<double> gap, median, low, high;  // of each event: what came, and what was predicted
  double interval = 0.9;                       // probability of low to high
};

// Two panels over the same time: intensity with the events, and gaps beside their predicted median and interval.
std::string script_of(const EventPlot& plot);

struct Calibration {
  std::string name;
  std::vector<double> transformed;  // cdf values of what came, ascending
};

// Share of events against the predicted probability: a calibrated model is the diagonal.
std::string calibration_script(const std::string& title, const std::vector<Calibration>& models);

}  // namespace cmanp::plots
