// Kinds of things by name, each described in one place: models, tasks, models of events. What is not there is said with
// what is.
#pragma once

#include <cmanp/error.hpp>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace cmanp::training {

// "; did you mean lr?", or nothing where no known name is near.
std::string did_you_mean(const std::string& name, const std::vector<std::string>& known);

// "unknown model 'nosuch'; there are cnp, …": throws Error.
[[noreturn]] void refuse_name(const std::string& what, const std::string& name, const std::vector<std::string>& known);

// Kind has a `name`. Descriptions stay where they are, whatever is added.
template <class Kind>
class Registry {
 public:
  Registry(std::string what, std::vector<Kind> kinds) : what_(std::move(what)) {
    for (Kind& kind : kinds) add(std::move(kind));
  }

  void add(Kind kind) {
    if (find(kind.name) != nullptr) throw Error(what_ + " " + kind.name + " is there twice");
    kinds_.push_back(std::move(kind));
  }

  const Kind* find(const std::string& name) const {
    for (const Kind& kind : kinds_) {
      if (kind.name == name) return &kind;
    }
    return nullptr;
  }

  // Throws Error that names all there are.
  const Kind& at(const std::string& name) const {
    if (const Kind* kind = find(name)) return *kind;
    refuse_name(what_, name, names());
  }

  std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (const Kind& kind : kinds_) list.push_back(kind.name);
    return list;
  }

  auto begin() const { return kinds_.begin(); }
  auto end() const { return kinds_.end(); }

 private:
  std::string what_;
  std::deque<Kind> kinds_;
};

}  // namespace cmanp::training
