// cmanp: neural processes in constant memory, from the command line.
#include "cli/program.hpp"
#include "cli/verbs.hpp"

int main(int argc, char** argv) { return cmanp::cli::run_program(cmanp::cli::lean_program(), argc, argv); }
