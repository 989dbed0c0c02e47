// Contexts of models that work in frames, until theirs is found: the first observations wait for it.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "runtime/engine.hpp"

namespace cmanp::runtime {

// Throws Error where so many can not be waited for.
void check_warm_up(const ContextOptions& options);

// An empty one of these options, whose range is in the data's units; `in_frame`: a range in the frame's, instead.
std::unique_ptr<ContextEngine> open_engine(Model model, const ContextOptions& options, const Range& in_frame = {});

// Where points may lie, in the data's units; empty: anywhere, or not known yet.
Range range_of(const ContextEngine& engine);

// The first of points in the data's units that is not there; their number: none is.
std::size_t first_outside(const ContextEngine& engine, std::span<const double> x);

// Whether it has no frame yet, and needs one.
bool waits(const ContextEngine& engine);

// Points in the data's units: they wait, or are taken in. Keeps nothing of the call where one is refused.
void observe_framed(std::unique_ptr<ContextEngine>& engine, std::span<const double> x, std::span<const double> y);

// The same, but that these points and those that wait find the frame together.
void observe_whole(std::unique_ptr<ContextEngine>& engine, std::span<const double> x, std::span<const double> y);

// The parts of that: of a context that has a frame or needs none, and of one that waits for it.
void take_in(ContextEngine& engine, std::span<const double> x, std::span<const double> y);
void wait_or_settle(std::unique_ptr<ContextEngine>& engine, std::span<const double> x, std::span<const double> y);

// What waits is taken in, by this frame or the one that it has itself.
void settle(std::unique_ptr<ContextEngine>& engine, const std::optional<Normalisation>& frame = {},
            const Range& in_frame = {});
std::unique_ptr<ContextEngine> settled(const ContextEngine& engine);  // a copy

// The prior's answers in the frame of what waits, the wider the less that is.
void predict_waiting(ContextEngine& engine, std::span<const double> x, std::span<double> mean, std::span<double> std);

}  // namespace cmanp::runtime
