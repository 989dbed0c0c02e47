// Models by name: `--model gp` is the file of that name, or else one that came with the program.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace cmanp::cli {

// Names, without `.cmanp`, of the models in the folders $CMANP_MODELS, share/cmanp/models beside the program's folder,
// and, of a program that was built and not installed, the repository's models.
std::vector<std::string> installed_models();

// The path for what a user named: a file, or one of those models. Throws Error that lists them where it is neither.
std::string find_model(const std::string& name);

// Puts the path in the place of an option's name.
CLI::Validator model_by_name();

}  // namespace cmanp::cli
