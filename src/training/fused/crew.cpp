#include "training/fused/crew.hpp"

namespace cmanp::training::fused {

Crew& Crew::of_process() {
  static Crew crew;
  return crew;
}

void Crew::set_threads(std::size_t threads) {
  if (threads == threads_) return;
  workers_.reset();
  threads_ = threads;
}

base::Workers& Crew::workers() {
  if (workers_ == nullptr) workers_ = std::make_unique<base::Workers>(threads_);
  return *workers_;
}

}  // namespace cmanp::training::fused
