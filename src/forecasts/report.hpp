// A judgement: a model and its rivals on the same windows, who is ahead, and a page of it that needs nothing else.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "data/windows.hpp"
#include "forecasts/rivals.hpp"
#include "forecasts/scores.hpp"

namespace cmanp::forecasts {

struct Contender {
  std::string name, what;
  std::vector<Forecast> forecasts;  // by window
  std::vector<Score> scores;        // by window
  Summary summary;
};

struct Judgement {
  std::string title;
  std::vector<std::pair<std::string, std::string>> facts;  // about data and model
  const std::vector<data::Window>* windows = nullptr;
  double step = 1;
  data::Calendar calendar = {};
  std::string x_name;
  bool rows = false;                  // several x: there is nothing to draw values along
  std::vector<Contender> contenders;  // the model is the first
};

Contender contender(std::string name, std::string what, std::vector<Forecast> forecasts,
                    const std::vector<data::Window>& windows, double step, double season);

// In sentences: where a rival is better, where none is, and whether bands hold what they promise.
std::vector<std::string> verdict(const Judgement& judgement);

std::string html_of(const Judgement& judgement);

// One window: the end of what was known, what came where it is known, mean and bands.
std::string picture_of(const data::Window& window, const Forecast& forecast, const std::string& title,
                       const std::string& x_label, const data::Calendar& calendar);

}  // namespace cmanp::forecasts
