// A context's state outside a context: as a file holds it. It can be read, merged and written without its model.
#pragma once

#include <cmanp/config.hpp>
#include <cmanp/error.hpp>
#include <cmanp/model.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/unusual.hpp"
#include "files/safetensors.hpp"
#include "kernels/attention_state.hpp"
#include "runtime/framing.hpp"

namespace cmanp::runtime {

inline constexpr const char* state_format = "cmanp-state";
inline constexpr const char* state_format_version = "1";

// What can be done with the model only.
class NeedsModel : public Error {
  using Error::Error;
};

struct StateData {
  std::string model_hash;
  std::uint64_t points = 0;  // pending ones included
  std::vector<kernels::AttentionState> blocks;
  std::size_t dim_x = 0;
  std::size_t dim_y = 0;
  std::vector<double> pending_x;  // raw points that are not in the triples yet
  std::vector<double> pending_y;
  std::optional<Normalisation> normalisation;  // the model's, by which pending points are checked; old files have none
  std::optional<Normalisation> frame;          // between the data's units and the model's, where there is one
  bool waiting = false;                        // for a frame: all points are pending, in the data's units
  bool frame_found = false;                    // from the data; else it was given
  std::size_t window = 0;                      // of its latest observations, where it forgets the others
  Recent recent;                               // these, which are all that it holds, unless they wait for a frame
  std::optional<Range> range;                  // that its latents lie over, in relative coordinates
  std::size_t arms = 0;                        // of the agent whose state it is; 0: of none, or of an old file
  std::vector<base::Unusual> unusual;          // of each y of a stream that was asked for it; else empty

  std::size_t pending_count() const { return pending_x.size() / dim_x; }

  // Of a state that waits, the empty one behind it.
  StateData without_pending() const;

  // Adds all that another state of the same model holds. Throws Error, and adds nothing, where the two do not belong
  // together, and NeedsModel where more points would be pending than two contexts have, which only the model can fold
  // in.
  void merge(const StateData& other);
};

StateData read_state(const std::filesystem::path& path);
StateData parse_state(const files::Safetensors& file);  // of a file, or of bytes
void write_state(const std::filesystem::path& path, const StateData& data);
std::vector<std::byte> state_bytes(const StateData& data);  // what write_state writes

}  // namespace cmanp::runtime
