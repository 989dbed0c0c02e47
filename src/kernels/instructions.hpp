// Which instruction set the kernels run on: the best that the machine has, unless a benchmark asks for another, to see
// what a lesser machine would do.
#pragma once

#include <string>
#include <vector>

namespace cmanp::kernels {

// Those that this machine has and kernels are compiled for, the best first, by Highway's names in small letters: avx3
// is AVX-512.
std::vector<std::string> instruction_sets();

// One of these, for the whole process from here on. No kernel may be running.
void use_instructions(const std::string& name);

}  // namespace cmanp::kernels
