#include <cmanp/context.hpp>

#include "runtime/engine.hpp"

namespace cmanp {

Context::Context(Model model, const ContextOptions& options)
    : engine_(std::make_unique<runtime::ContextEngine>(std::move(model), options)) {}

Context::Context(std::unique_ptr<runtime::ContextEngine> engine) : engine_(std::move(engine)) {}

Context::Context(const Context& other)
    : engine_(std::make_unique<runtime::ContextEngine>(*other.engine_, other.options())) {}

Context::Context(const Context& other, const ContextOptions& options)
    : engine_(std::make_unique<runtime::ContextEngine>(*other.engine_, options)) {}

Context& Context::operator=(const Context& other) {
  if (this != &other) engine_ = std::make_unique<runtime::ContextEngine>(*other.engine_, other.options());
  return *this;
}

Context::Context(Context&&) noexcept = default;
Context& Context::operator=(Context&&) noexcept = default;
Context::~Context() = default;

void Context::observe(std::span<const double> x, std::span<const double> y) { engine_->observe(x, y); }
void Context::merge(const Context& other) { engine_->merge(*other.engine_); }
void Context::reset() { engine_->reset(); }
std::uint64_t Context::size() const { return engine_->size(); }

void Context::predict(std::span<const double> x, std::span<double> mean, std::span<double> std) {
  engine_->predict(x, mean, std);
}

void Context::predict_joint(std::span<const double> x, std::span<double> mean, std::span<double> scale_tril) {
  engine_->predict_joint(x, mean, scale_tril);
}

void Context::save(const std::filesystem::path& path) const { runtime::write_state(path, engine_->state()); }

Context Context::load(Model model, const std::filesystem::path& path, const ContextOptions& options) {
  return Context(
      std::make_unique<runtime::ContextEngine>(std::move(model), runtime::read_state(path), options, path.string()));
}

std::vector<std::byte> Context::to_bytes() const { return runtime::state_bytes(engine_->state()); }

Context Context::from_bytes(Model model, std::span<const std::byte> bytes, const ContextOptions& options,
                            const std::string& name) {
  const runtime::StateData data = runtime::parse_state(files::Safetensors::parse(bytes, name));
  return Context(std::make_unique<runtime::ContextEngine>(std::move(model), data, options, name));
}

const Model& Context::model() const { return engine_->model(); }
const ContextOptions& Context::options() const { return engine_->options(); }
Memory Context::memory() const { return engine_->memory(); }

}  // namespace cmanp
