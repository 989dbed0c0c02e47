// The processes that train one model together. Every call but first() is made by all of them, in the same order. These
// here are none: a process alone.
#pragma once

#include <cmanp/error.hpp>
#include <string>

namespace cmanp::runs {

// Another process is gone or silent: what they did together can not go on.
class LostCompanion : public Error {
 public:
  using Error::Error;
};

class Companions {
 public:
  virtual ~Companions() = default;

  virtual bool first() const { return true; }  // the one that has the folder, evaluates and reports

  // Whether any process says so.
  virtual bool any(bool here) const { return here; }

  // What the first has.
  virtual std::string take_from_first(const std::string& text) const { return text; }

  // Returns when all are here or gone: who leaves before may cut off what others still read.
  virtual void part() const noexcept {}
};

}  // namespace cmanp::runs
