// The verbs on pictures, in a program that is built without libpng and libjpeg: it has none.
#include "cli/verbs.hpp"

namespace cmanp::cli {

void add_complete(CLI::App&) {}
void add_data(CLI::App&) {}
void add_forecast(CLI::App&) {}

}  // namespace cmanp::cli
