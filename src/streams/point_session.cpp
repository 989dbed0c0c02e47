#include "streams/point_session.hpp"

#include <utility>

namespace cmanp::streams {

PointSession::PointSession(SessionOptions session_options, Answers answers, const Open& open)
    : LineSession(std::move(session_options)),
      learner_(open_locked(open)),
      outside_(learner_->moves_on() ? Range() : learner_->range(), learner_->config().dim_x, options().warn),
      parser_(options().source, learner_->config().dim_x, learner_->config().dim_y, tables::Rows::questions,
              options().reading),
      begin_(std::move(answers.begin)),
      give_(std::move(answers.give)),
      on_frame_(std::move(answers.on_frame)),
      before_observing_(std::move(answers.before_observing)),
      questions_(
          *learner_, [this](const PointAnswer& answer) { give(answer); }, std::move(answers.before_answering)) {
  if (options().unusual) learner_->unusual().resize(learner_->config().dim_y);
  tell_of_frame();
}

PointSession::PointSession(const Model& model, const ContextOptions& context_options, SessionOptions session_options,
                           Answers answers)
    : PointSession(std::move(session_options), std::move(answers), [&](const std::filesystem::path& state) {
        const bool resume = !state.empty() && std::filesystem::exists(state);
        return std::make_unique<runtime::ContextLearner>(resume ? Context::load(model, state, context_options)
                                                                : Context(model, context_options));
      }) {
  const Context& context = static_cast<const runtime::ContextLearner&>(*learner_).context();
  save_by([this] { return observed_; }, [this, &context] { context.save(options().saving.path); });
}

PointSession::PointSession(std::unique_ptr<runtime::Learner> learner, SessionOptions session_options, Answers answers)
    : PointSession(std::move(session_options), std::move(answers), [&](const std::filesystem::path& state) {
        if (!state.empty()) throw Error(state.string() + ": this model keeps no state", ErrorKind::wrong_model);
        return std::move(learner);
      }) {
  save_by([this] { return observed_; }, [] {});  // without a file, nothing is ever saved
}

std::unique_ptr<runtime::Learner> PointSession::open_locked(const Open& open) {
  lock_state();
  return open(options().saving.path);
}

void PointSession::tell_of_frame() {
  if (learner_->frame() == told_frame_) return;
  told_frame_ = learner_->frame();
  on_frame_(*told_frame_);
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
    if (options().ahead && answering()) ask_ahead(row);
    points_.add(row);
    if (points_.full()) observe_pending();
  } else if (answering()) {
    observe_pending();
    questions_.add(row);
    if (questions_.full()) answer_pending();
  }
}

void PointSession::ask_ahead(const tables::Row& row) {
  observe_pending();
  questions_.add(row);
  answer_pending();
}

void PointSession::give(PointAnswer answer) {
  std::vector<double> unusual;
  if (options().unusual && !answer.y.empty()) {
    surprises_ = answer.off();
    for (std::size_t c = 0; c < answer.y.size(); ++c) {
      unusual.push_back(learner_->unusual()[c].of(answer.y[c], surprises_[c]));
    }
    answer.unusual = unusual;
  }
  give_(answer);
}

// With its observation, so that a state holds both or neither.
void PointSession::learn_what_is_usual(std::span<const double> y) {
  for (std::size_t c = 0; c < surprises_.size(); ++c) learner_->unusual()[c].add(y[c], surprises_[c]);
}

void PointSession::observe_pending() {
  const auto observe = [this](std::span<const double> x, std::span<const double> y) {
    before_observing_(x, y);
    learner_->observe(x, y);  // or refuses them
    learn_what_is_usual(y);
    outside_.points(x);
    observed_ += x.size() / learner_->config().dim_x;
  };
  points_.observe(observe, parser_.name(), [this](const Error& error) { on_bad_row(error); });
  surprises_.clear();
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
