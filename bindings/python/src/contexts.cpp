// cmanp.Context: what a model knows of one task.
#include <pybind11/stl.h>

#include <cmanp/context.hpp>
#include <cmanp/error.hpp>
#include <cmanp/predictor.hpp>
#include <mutex>
#include <optional>

#include "arrays.hpp"
#include "counts.hpp"
#include "documentation.hpp"
#include "frames.hpp"
#include "guarded.hpp"
#include "models.hpp"

namespace cmanp::python {
namespace {

using State = Guarded<Context, Model>;
using Threads = Count<"threads">;
using Block = Count<"block">;

std::unique_ptr<State> make_context(py::handle model, Threads threads, Block block, py::handle x_frame,
                                    py::handle y_frame, py::handle range, Count<"window"> window, bool seasons,
                                    bool widths) {
  Shared<Model> loaded = model_of<Model>(model);
  const Config& config = loaded->model.config();
  const ContextOptions options{.threads = threads,
                               .block = block,
                               .range = range_of(range, config.axes(), "range"),
                               .frame = frame_by(x_frame, y_frame, config),
                               .seasons = seasons,
                               .widths = widths,
                               .window = window};
  return std::make_unique<State>(Context(loaded->model, options), loaded);
}

// What comes as one array, and is more than a stream would wait for, is at hand as a whole.
bool is_whole(const Context& context, std::size_t points) {
  return context.size() == 0 && points > context.options().warm_up;
}

void observe(State& self, const py::object& x, const py::object& y, std::optional<bool> whole) {
  const Config& config = self.model->model.config();
  const Points at(x, config.dim_x, "x"), values(y, config.dim_y, "y");
  if (at.count() != values.count()) {
    throw Error("x has " + std::to_string(at.count()) + " points and y has " + std::to_string(values.count()),
                ErrorKind::argument);
  }
  self.use([&](Context& context) {
    if (whole.value_or(is_whole(context, at.count()))) {
      context.observe_whole(at.numbers(), values.numbers());
    } else {
      context.observe(at.numbers(), values.numbers());
    }
  });
}

void merge(State& self, State& other) {
  const py::gil_scoped_release others_run;
  if (&self == &other) {
    const std::lock_guard lock(self.mutex);
    self.content.merge(Context(self.content));
    return;
  }
  const std::scoped_lock both(self.mutex, other.mutex);
  self.content.merge(other.content);
}

py::tuple predict(State& self, const py::object& x) {
  const Config& config = self.model->model.config();
  const Points at(x, config.dim_x, "x");
  Answer mean(at, config.dim_y), std(at, config.dim_y);
  const std::span<double> mean_numbers = mean.numbers(), std_numbers = std.numbers();
  self.use([&](Context& context) { context.predict(at.numbers(), mean_numbers, std_numbers); });
  return py::make_tuple(mean.take(), std.take());
}

py::tuple predict_joint(State& self, const py::object& x) {
  const Config& config = self.model->model.config();
  const Points at(x, config.dim_x, "x");
  const std::size_t block = self.use([](Context& context) { return context.options().block; });
  if (at.count() > block) {
    throw Error("x has " + std::to_string(at.count()) + " points, and this context predicts up to " +
                    std::to_string(block) + " jointly: Context(..., block=" + std::to_string(at.count()) + ")",
                ErrorKind::argument);
  }
  const auto size = static_cast<py::ssize_t>(at.count() * config.dim_y);
  Answer mean(at, config.dim_y);
  py::array_t<double> factor({size, size});
  const std::span<double> mean_numbers = mean.numbers(),
                          factor_numbers(factor.mutable_data(), static_cast<std::size_t>(size * size));
  self.use([&](Context& context) { context.predict_joint(at.numbers(), mean_numbers, factor_numbers); });
  return py::make_tuple(mean.take(), at.single_precision() ? py::object(factor.attr("astype")("float32")) : factor);
}

py::object draw(State& self, const py::object& x, Count<"draws"> draws, Count<"seed"> seed, Block block,
                double growth) {
  const Config& config = self.model->model.config();
  const Points at(x, config.dim_x, "x");
  Answer drawn(at, config.dim_y, {static_cast<py::ssize_t>(draws.value)});
  const std::span<double> numbers = drawn.numbers();
  self.use([&](Context& context) {
    sample(context, at.numbers(), numbers, {.draws = draws, .block = block, .seed = seed, .growth = growth});
  });
  return drawn.take();
}

double score_of(State& self, const py::object& x, const py::object& y, Block block) {
  const Config& config = self.model->model.config();
  const Points at(x, config.dim_x, "x"), values(y, config.dim_y, "y");
  if (at.count() != values.count()) {
    throw Error("x has " + std::to_string(at.count()) + " points and y has " + std::to_string(values.count()),
                ErrorKind::argument);
  }
  return self.use(
      [&](Context& context) { return score(context, at.numbers(), values.numbers(), block).log_likelihood; });
}

std::unique_ptr<State> copy(State& self, std::optional<Threads> threads, std::optional<Block> block) {
  return self.use([&](Context& context) {
    ContextOptions options = context.options();
    options.threads = threads.value_or(options.threads);
    options.block = block.value_or(options.block);
    options.range = {};  // its own stays
    return std::make_unique<State>(Context(context, options), self.model);
  });
}

std::unique_ptr<State> from_bytes_of(py::handle model, py::handle state, Threads threads, Block block) {
  Shared<Model> loaded = model_of<Model>(model);
  const Bytes bytes(state);
  return std::make_unique<State>(
      Context::from_bytes(loaded->model, bytes.bytes(), {.threads = threads, .block = block}), loaded);
}

std::unique_ptr<State> load_state(py::handle model, py::handle path, Threads threads, Block block) {
  Shared<Model> loaded = model_of<Model>(model);
  const std::string file = path_of(path);
  const py::gil_scoped_release others_run;
  return std::make_unique<State>(Context::load(loaded->model, file, {.threads = threads, .block = block}), loaded);
}

ContextOptions options_of(State& self) {
  return self.use([](Context& context) { return context.options(); });
}

}  // namespace

void bind_contexts(py::module_& module) {
  const ContextOptions usual;
  py::class_<State>(module, "Context", doc::kContext)
      .def(py::init(&make_context), py::arg("model"), py::kw_only(), py::arg("threads") = usual.threads,
           py::arg("block") = usual.block, py::arg("x_frame") = py::none(), py::arg("y_frame") = py::none(),
           py::arg("range") = py::none(), py::arg("window") = usual.window, py::arg("seasons") = usual.seasons,
           py::arg("widths") = usual.widths, doc::kContextInit)
      .def("observe", &observe, py::arg("x"), py::arg("y"), py::kw_only(), py::arg("whole") = py::none(), doc::kObserve)
      .def("merge", &merge, py::arg("other"), doc::kMerge)
      .def(
          "reset", [](State& self) { self.use([](Context& context) { context.reset(); }); }, doc::kReset)
      .def("predict", &predict, py::arg("x"), doc::kPredict)
      .def("predict_joint", &predict_joint, py::arg("x"), doc::kPredictJoint)
      .def("sample", &draw, py::arg("x"), py::arg("draws") = 1, py::kw_only(), py::arg("seed") = 0,
           py::arg("block") = 0, py::arg("growth") = 0.0, doc::kSample)
      .def("score", &score_of, py::arg("x"), py::arg("y"), py::kw_only(), py::arg("block") = 0, doc::kScore)
      .def("copy", &copy, py::kw_only(), py::arg("threads") = py::none(), py::arg("block") = py::none(), doc::kCopy)
      .def(
          "save",
          [](State& self, const py::object& path) {
            const std::string file = path_of(path);
            self.use([&](Context& context) { context.save(file); });
          },
          py::arg("path"), doc::kSave)
      .def_static("load", &load_state, py::arg("model"), py::arg("path"), py::kw_only(),
                  py::arg("threads") = usual.threads, py::arg("block") = usual.block, doc::kLoad)
      .def(
          "to_bytes",
          [](State& self) { return bytes_of(self.use([](Context& context) { return context.to_bytes(); })); },
          doc::kToBytes)
      .def_static("from_bytes", &from_bytes_of, py::arg("model"), py::arg("state"), py::kw_only(),
                  py::arg("threads") = usual.threads, py::arg("block") = usual.block, doc::kFromBytes)
      .def_property_readonly(
          "model", [](const State& self) { return self.model; }, "The model; shared by its contexts.")
      .def_property_readonly(
          "threads", [](State& self) { return options_of(self).threads; }, "How many threads large calls use.")
      .def_property_readonly(
          "block", [](State& self) { return options_of(self).block; }, "How many points are predicted jointly at most.")
      .def_property_readonly(
          "window", [](State& self) { return options_of(self).window; }, doc::kWindow)
      .def_property_readonly(
          "seasons",
          [](State& self) {
            const auto frame = self.use([](Context& context) { return context.frame(); });
            py::list periods;
            for (const Season& season : frame ? frame->seasons : std::vector<Season>{}) periods.append(season.period);
            return periods;
          },
          doc::kSeasons)
      .def_property_readonly(
          "memory", [](State& self) { return self.use([](Context& context) { return context.memory(); }); },
          "What it takes, in bytes; it does not grow with the points.")
      .def_property_readonly(
          "frame",
          [](State& self) -> py::object {
            const auto frame = self.use([](Context& context) { return context.frame(); });
            return frame ? frame_object(*frame) : py::none();
          },
          doc::kFrame)
      .def_property_readonly(
          "range", [](State& self) { return pairs_of(self.use([](Context& context) { return context.range(); })); },
          doc::kRange)
      .def("__len__", [](State& self) { return self.use([](Context& context) { return context.size(); }); })
      .def("__bool__", [](const State&) { return true; })  // one that has seen nothing is no less a context
      .def("__copy__", [](State& self) { return copy(self, {}, {}); })
      .def("__deepcopy__", [](State& self, const py::dict&) { return copy(self, {}, {}); })
      .def("__reduce__",
           [](State& self) {
             const ContextOptions options = options_of(self);
             return py::make_tuple(
                 py::module_::import("cmanp._pickle").attr("context"),
                 py::make_tuple(where_to_find(*self.model),
                                bytes_of(self.use([](Context& context) { return context.to_bytes(); })),
                                options.threads, options.block));
           })
      .def("__repr__", [](State& self) {
        const auto size = self.use([](Context& context) { return context.size(); });
        return "<cmanp.Context of " + std::to_string(size) + " points>";
      });
  module.def("_unpickle_context", [](const py::tuple& where, const py::bytes& state, Threads threads, Block block) {
    return from_bytes_of(py::cast(find_again<Model>(where)), state, threads, block);
  });
}

}  // namespace cmanp::python
