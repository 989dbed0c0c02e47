// A model that the lean half does not run, opened for a verb by the flags that both halves have.
#pragma once

#include <cmanp/model.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cli/given.hpp"
#include "cli/watching.hpp"
#include "runtime/learner.hpp"
#include "tables/csv.hpp"
#include "training/evaluation/predictor.hpp"

namespace cmanp::cli_train {

// The model in the frame that the flags say, if they do.
training::LoadedModel open_framed(const std::string& path, const cli::FrameFlags& flags);

// For models of this half, what some of the lean half's have is an Error. `instead`: what to do without a state.
void refuse_state(const std::string& model, const std::string& state, const std::string& instead);
inline constexpr const char* kByContext = "give all of its observations by --context";
void refuse_range(const std::string& model, const Range& range);

training::Predictor open_predictor(const std::string& path, const cli::FrameFlags& frame, std::size_t threads);

// All that files hold, watched; with the notes and warnings of predictions.
void observe_all(training::Predictor& predictor, const std::vector<std::string>& paths, const tables::Reading& reading,
                 cli::Watching& watching);

// The predictor where any learner will do.
std::unique_ptr<runtime::Learner> learner_of(training::Predictor predictor);

}  // namespace cmanp::cli_train
