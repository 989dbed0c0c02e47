#include "streams/point_session.hpp"

#include <filesystem>
#include <utility>

namespace cmanp::streams {

PointSession::PointSession(const Model& model, const ContextOptions& context_options, SessionOptions session_options,
                           Answers answers)
    : LineSession(std::move(session_options)),
      context_(open_context(model, context_options)),
      outside_(context_, options().warn),
      parser_(options().source, model.config().dim_x, model.config().dim_y, tables::Rows::questions),
      begin_(std::move(answers.begin)),
      on_frame_(std::move(answers.on_frame)),
      before_observing_(std::move(answers.before_observing)),
      questions_(context_, std::move(answers.give), std::move(answers.before_answering)) {
  save_by([this] { return observed_; }, [this] { context_.save(options().saving.path); });
  tell_of_frame();
}

void PointSession::tell_of_frame() {
  if (context_.frame() == told_frame_) return;
  told_frame_ = context_.frame();
  on_frame_(*told_frame_);
}

Context PointSession::open_context(const Model& model, const ContextOptions& context_options) {
  lock_state();
  const std::filesystem::path& state = options().saving.path;
  const bool resume = !state.empty() && std::filesystem::exists(state);
  return resume ? Context::load(model, state, context_options) : Context(model, context_options);
}

void PointSession::take_header(std::string_view line, std::uint64_t number) {
  parser_.read_header(line, number);
  begin_();
}

// An observation goes after the questions before it, and a question after the observations before it.
void PointSession::take_row(std::string_view line, std::uint64_t number) {
  tables::Row row;
  try {
    row = parser_.parse(line, number);
  } catch (const Error& error) {
    return refuse(error);
  }
  if (!row.y.empty()) {
    answer_pending();
    points_.add(row);
    if (points_.full()) observe_pending();
  } else if (answering()) {
    observe_pending();
    questions_.add(row);
    if (questions_.full()) answer_pending();
  }
}

void PointSession::observe_pending() {
  const auto observe = [this, into = outside_.into(context_)](std::span<const double> x, std::span<const double> y) {
    before_observing_(x, y);
    into(x, y);
    observed_ += x.size() / context_.model().config().dim_x;
  };
  points_.observe(observe, parser_.name(), [this](const Error& error) { on_bad_row(error); });
  tell_of_frame();
}

void PointSession::answer_pending() {
  if (questions_.empty()) return;
  saver().before_answers();
  outside_.targets(questions_.x());
  questions_.answer(parser_.name(), [this](const Error& error) { on_bad_row(error); });
}

void PointSession::settle_rows() {
  observe_pending();
  answer_pending();
}

}  // namespace cmanp::streams
