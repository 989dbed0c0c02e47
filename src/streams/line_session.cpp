#include "streams/line_session.hpp"

#include <fmt/format.h>

#include <utility>

namespace cmanp::streams {

LineSession::LineSession(SessionOptions options) : options_(std::move(options)) {}

void LineSession::lock_state() {
  const SavingOptions& saving = options_.saving;
  if (!saving.path.empty()) lock_.emplace(files::lock_for_update(saving.path, saving.on_held));
}

void LineSession::save_by(std::function<std::uint64_t()> taken_in, std::function<void()> save) {
  saver_.emplace(options_.saving,
                 Saver::Hooks{.taken_in = std::move(taken_in), .save = std::move(save), .warn = options_.warn});
}

void LineSession::take(std::string_view line, std::uint64_t number) {
  if (!has_header_) {
    take_header(line, number);
    has_header_ = true;
    return;
  }
  take_row(line, number);
  if (!saver_->before_every_answer()) saver_->save_if_due();
}

void LineSession::refuse(const Error& error) {
  if (!has_header_) throw error;  // no row: nothing can be taken in without the columns' names
  settle();                       // what came before it comes before what is said of it
  on_bad_row(error);
}

void LineSession::settle() {
  settle_rows();
  saver_->save_if_due();
}

void LineSession::end_of_lines() const {
  if (!has_header_) fail_without_header();
}

void LineSession::on_bad_row(const Error& error) {
  if (!options_.skip_bad) throw error;
  ++bad_rows_;
  options_.warn(fmt::format("{}; row skipped", error.what()));
}

}  // namespace cmanp::streams
