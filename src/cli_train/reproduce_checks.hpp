// What is wrong with what `cmanp reproduce run` was asked for, found before anything is trained.
#pragma once

#include <filesystem>
#include <vector>

#include "experiments/jobs.hpp"

namespace cmanp::cli_train {

// Throws CLI::ValidationError for a name that no plan needs, and Error for a place where nothing is.
void check_data_names(const std::vector<experiments::Plan>& plans, const experiments::Choice& choice);
void check_data_places(const experiments::Choice& choice);

// Verbs and options of the commands of jobs that are to be done. Throws Error that names the plan's file and command.
void check_commands(const std::vector<experiments::Plan>& plans, const std::vector<experiments::Job>& jobs,
                    const std::filesystem::path& program);

}  // namespace cmanp::cli_train
