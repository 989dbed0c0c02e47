// Which instruction sets the kernels are compiled for; include before any Highway header.
// Left out: SSSE3 (SSE4 is as old as makes no difference) and the targets whose vectors have no size at compile time,
// since the micro-kernels keep their accumulators in arrays.
#pragma once

#include <hwy/detect_compiler_arch.h>

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
