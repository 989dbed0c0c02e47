#include "training/evaluation/evaluation_file.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "files/safetensors.hpp"

namespace cmanp::training {
namespace {

// Counts up whenever a task draws differently than before: sets made until then are made anew.
constexpr const char* kSamplingVersion = "1";
constexpr std::size_t kSizes = 3;  // tasks, context points, targets

files::Metadata describe(const std::string& task, std::uint64_t seed) {
  return {{"kind", "evaluation set"}, {"version", kSamplingVersion}, {"task", task}, {"seed", std::to_string(seed)}};
}

void append(std::vector<float>& all, const torch::Tensor& values) {
  const float* begin = values.data_ptr<float>();
  all.insert(all.end(), begin, begin + values.numel());
}

class Reader {
 public:
  Reader(const std::filesystem::path& path, const files::Safetensors& file) : path_(path), file_(file) {}

  [[noreturn]] void fail(const std::string& why) const {
    throw Error(fmt::format("{}: {}; remove the file to have it made anew", path_.string(), why));
  }

  template <typename T>
  std::span<const T> values(const std::string& name, files::DType dtype) const {
    const auto found = file_.tensors().find(name);
    if (found == file_.tensors().end()) fail(fmt::format("tensor {} is missing", name));
    if (found->second.dtype != dtype) fail(fmt::format("tensor {} has a wrong type", name));
    return {reinterpret_cast<const T*>(found->second.bytes.data()), found->second.elements()};
  }

  bool has(const std::string& name) const { return file_.tensors().contains(name); }

 private:
  const std::filesystem::path& path_;
  const files::Safetensors& file_;
};

// Hands out tensors from the front of a row of values.
class Cutter {
 public:
  Cutter(const Reader& reader, std::span<const float> rest) : reader_(reader), rest_(rest) {}

  // Contexts may be empty.
  torch::Tensor take(std::uint64_t tasks, std::uint64_t count, std::int64_t width, std::uint64_t least = 1) {
    constexpr std::uint64_t kMost = 1U << 20;  // of each: no product overflows
    if (tasks == 0 || count < least || tasks > kMost || count > kMost) reader_.fail("a batch has an impossible size");
    const std::uint64_t size = tasks * count * static_cast<std::uint64_t>(width);
    if (size > rest_.size()) reader_.fail("it holds fewer points than its sizes say");
    torch::Tensor tensor = torch::empty({static_cast<std::int64_t>(tasks), static_cast<std::int64_t>(count), width});
    if (size > 0) std::memcpy(tensor.data_ptr<float>(), rest_.data(), size * sizeof(float));
    rest_ = rest_.subspan(size);
    return tensor;
  }

  bool done() const { return rest_.empty(); }

 private:
  const Reader& reader_;
  std::span<const float> rest_;
};

}  // namespace

void write_evaluation_file(const std::filesystem::path& path, const EvaluationSet& set) {
  std::vector<float> x, y;
  std::vector<std::uint64_t> sizes;
  std::vector<double> limits;
  for (const auto& [batch, limit] : set.batches) {
    for (const torch::Tensor& part : {batch.xc, batch.xt}) append(x, part);
    for (const torch::Tensor& part : {batch.yc, batch.yt}) append(y, part);
    for (const std::int64_t size : {batch.xc.size(0), batch.xc.size(1), batch.xt.size(1)}) {
      sizes.push_back(static_cast<std::uint64_t>(size));
    }
    if (limit) limits.insert(limits.end(), {limit->joint, limit->marginal});
  }
  files::TensorViews tensors{{"x", files::view_of(std::span<const float>(x), {x.size()})},
                             {"y", files::view_of(std::span<const float>(y), {y.size()})},
                             {"sizes", files::view_of(std::span<const std::uint64_t>(sizes), {sizes.size()})}};
  if (limits.size() == 2 * set.batches.size()) {
    tensors["limits"] = files::view_of(std::span<const double>(limits), {limits.size()});
  }
  files::write_safetensors(path, describe(set.task, set.seed), tensors);
}

std::optional<EvaluationSet> read_evaluation_file(const std::filesystem::path& path, const Task& task,
                                                  std::uint64_t seed, std::size_t batches) {
  const files::Safetensors file = files::Safetensors::open(path);
  const Reader reader(path, file);
  files::Metadata expected = describe(task.name(), seed);
  for (const auto& [key, value] : expected) {
    const auto found = file.metadata().find(key);
    if (found == file.metadata().end()) reader.fail(fmt::format("its {} is missing", key));
    if (found->second == value) continue;
    if (key == "version") return std::nullopt;
    reader.fail(fmt::format("its {} is not {}", key, value));
  }
  const auto sizes = reader.values<std::uint64_t>("sizes", files::DType::u64);
  if (sizes.size() != kSizes * batches) reader.fail(fmt::format("it does not hold {} batches", batches));
  Cutter x(reader, reader.values<float>("x", files::DType::f32));
  Cutter y(reader, reader.values<float>("y", files::DType::f32));
  std::span<const double> limits;
  if (reader.has("limits")) {
    limits = reader.values<double>("limits", files::DType::f64);
    if (limits.size() != 2 * batches) reader.fail("the number of its limits is not that of its batches");
  }

  EvaluationSet set{task.name(), seed, {}};
  for (std::size_t k = 0; k < batches; ++k) {
    const std::uint64_t tasks = sizes[kSizes * k], context = sizes[kSizes * k + 1], targets = sizes[kSizes * k + 2];
    EvaluationBatch& next = set.batches.emplace_back();
    next.batch.xc = x.take(tasks, context, task.dim_x(), 0);
    next.batch.xt = x.take(tasks, targets, task.dim_x());
    next.batch.yc = y.take(tasks, context, task.dim_y(), 0);
    next.batch.yt = y.take(tasks, targets, task.dim_y());
    if (!limits.empty()) next.limits = {limits[2 * k], limits[2 * k + 1]};
  }
  if (!x.done() || !y.done()) reader.fail("it holds more points than its sizes say");
  file.check_unchanged();
  return set;
}

}  // namespace cmanp::training
