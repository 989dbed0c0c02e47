// cmanp bench events.
#pragma once

namespace cmanp::cli_train {

// What one event more costs a stream after so many: a CMHP's in the lean half, beside a THP's with its keys and values
// kept. `seconds` for each measurement.
void bench_events(double seconds, bool json);

}  // namespace cmanp::cli_train
