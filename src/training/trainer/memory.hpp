// What is asked of the memory allocator for training.
#pragma once

namespace cmanp::training {

// Memory that is freed stays with the process. A step frees what the next one asks for again, tens of megabytes: given
// back to the system in between, every page of it would have to be found and cleared anew, thousands of times a step.
void keep_freed_memory();

}  // namespace cmanp::training
