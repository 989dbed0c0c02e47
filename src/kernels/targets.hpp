// Which instruction sets the kernels are compiled for; include before any Highway header.
// Left out: SSSE3 (SSE4 is as old as makes no difference) and the targets whose vectors have no size at compile time,
// since the micro-kernels keep their accumulators in arrays.
#pragma once

#include <hwy/detect_compiler_arch.h>

// Under sanitizers, two of x86's are enough, the oldest and the usual one: the others are the same source, and what
// takes time is to compile it.
#ifdef CMANP_FEW_TARGETS
#define CMANP_LEFT_OUT (HWY_SSE4 | HWY_AVX3 | HWY_AVX3_DL)
#else
#define CMANP_LEFT_OUT 0
#endif
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | CMANP_LEFT_OUT)
