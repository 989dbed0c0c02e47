// What places along x are: numbers, times as seconds, or months, which are no fixed number of seconds. Times that all
// lie on the same day of their months are counted in months: then a step is a month, a quarter or a year, and what
// comes again every twelve of them does. Numbers such as 1949.08 and 1949.17 are years, with their months or quarters
// as fractions: they are as far apart as these are, however they were rounded.
#pragma once

#include <string>

#include "data/data_table.hpp"

namespace cmanp::data {

class Calendar {
 public:
  Calendar() = default;  // of numbers
  explicit Calendar(const Column& x);

  bool times() const { return kind_ != Kind::numbers; }
  bool months() const { return kind_ == Kind::months; }

  // Whether a value is its own place.
  bool keeps_values() const { return kind_ != Kind::months && a_year_ == 0; }
  // Of a value of the column.
  double place(double value) const;

  // "2024-05-31T12:30:00Z", or the number.
  std::string shown(double place) const;
  // The same, without the time of day where all have midnight.
  std::string shown_shortly(double place) const;
  // "3 months", "15 minutes", "0.5".
  std::string shown_step(double step) const;

  // Hours have days and weeks, days have weeks, months have years: "24,168" for a step of an hour; nothing of a step
  // that has none in particular.
  std::string usual_seasons(double step) const;

 private:
  enum class Kind { numbers, seconds, months };

  void look_for_years(const Values& x);
  double seconds_at(double month) const;

  Kind kind_ = Kind::numbers;
  unsigned day_ = 1;      // of the month; a shorter one has its last
  double of_day_ = 0;     // seconds since midnight
  bool midnight_ = true;  // all of them
  double a_year_ = 0;     // of numbers that are years: how many of them it has; 0: they are not
  double offset_ = 0;     // where in its month or quarter each lies, as a share of it
};

}  // namespace cmanp::data
