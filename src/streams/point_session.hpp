// Observations and questions, a row each: observed in batches, answered in order, kept in a state.
#pragma once

#include <cmanp/context.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/learner.hpp"
#include "streams/line_session.hpp"
#include "streams/outside_warner.hpp"
#include "streams/point_batch.hpp"
#include "streams/question_batch.hpp"
#include "tables/csv.hpp"

namespace cmanp::streams {

class PointSession : public LineSession {
 public:
  // Told when the first line turns out well; then of each answer, in the order of the questions.
  struct Answers {
    std::function<void()> begin;
    OnPointAnswer give;
    // Told of the frame once the context has one, and whenever it has another.
    std::function<void(const Normalisation& frame)> on_frame = [](const Normalisation&) {};
    // Told of points and of questions first; throw Error where they are to be refused.
    Observe before_observing = [](std::span<const double>, std::span<const double>) {};
    std::function<void(std::span<const double> x)> before_answering = [](std::span<const double>) {};
  };

  // Takes up the state where its file is there.
  PointSession(const Model& model, const ContextOptions& context_options, SessionOptions options, Answers answers);
  // By what keeps no state: throws Error where there is to be a file for one.
  PointSession(std::unique_ptr<runtime::Learner> learner, SessionOptions options, Answers answers);

  const runtime::Learner& learner() const { return *learner_; }
  bool has_times() const { return parser_.has_times(); }  // in x, so far: they are seconds since 1970

 private:
  // Called when the state, if there is to be one, is this session's alone.
  using Open = std::function<std::unique_ptr<runtime::Learner>(const std::filesystem::path& state)>;

  PointSession(SessionOptions options, Answers answers, const Open& open);
  std::unique_ptr<runtime::Learner> open_locked(const Open& open);

  void take_header(std::string_view line, std::uint64_t number) override;
  void take_row(std::string_view line, std::uint64_t number) override;
  void settle_rows() override;
  void fail_without_header() const override { parser_.fail_without_header(); }

  void ask_ahead(const tables::Row& row);
  void give(PointAnswer answer);
  void learn_what_is_usual(std::span<const double> y);
  void observe_pending();
  void tell_of_frame();
  void answer_pending();

  std::unique_ptr<runtime::Learner> learner_;
  OutsideWarner outside_;
  tables::RowParser parser_;
  std::function<void()> begin_;
  OnPointAnswer give_;
  std::function<void(const Normalisation&)> on_frame_;
  Observe before_observing_;
  std::optional<Normalisation> told_frame_;
  std::uint64_t observed_ = 0;     // in this session; a context that keeps a window forgets others
  std::vector<double> surprises_;  // of a point that was told to be unusual or not, until it is observed
  PointBatch points_;
  QuestionBatch questions_;
};

}  // namespace cmanp::streams
