// cmanp.complete: pictures from some of their pixels.
#include <cmanp/completion.hpp>
#include <cmanp/error.hpp>

#include "arrays.hpp"
#include "counts.hpp"
#include "documentation.hpp"
#include "models.hpp"

namespace cmanp::python {
namespace {

using Pixels = py::array_t<std::uint8_t, py::array::c_style>;

Picture picture_of(const py::object& given) {
  refuse_masked(given, "picture", "give picture.filled(0), and True in `given` where a pixel is known");
  const py::array array = py::array::ensure(given);
  if (!array || array.dtype().kind() != 'u' || array.itemsize() != 1) {
    throw Error("picture holds numbers that are not uint8: pixels are from 0 to 255", ErrorKind::argument);
  }
  if (array.ndim() != 2 && array.ndim() != 3) {
    throw Error("picture has " + std::to_string(array.ndim()) + " axes; give (height, width) or (height, width, 3)",
                ErrorKind::argument);
  }
  const Pixels pixels = Pixels::ensure(array);
  return {.height = static_cast<std::size_t>(pixels.shape(0)),
          .width = static_cast<std::size_t>(pixels.shape(1)),
          .channels = pixels.ndim() == 3 ? static_cast<std::size_t>(pixels.shape(2)) : 1,
          .pixels = {pixels.data(), pixels.data() + pixels.size()}};
}

std::vector<std::uint8_t> mask_of(const py::object& given, const Picture& picture) {
  refuse_masked(given, "given", "give True or False for each pixel");
  const py::array array = py::array::ensure(given);
  if (!array || (array.dtype().kind() != 'b' && array.dtype().kind() != 'u')) {
    throw Error("given holds no truth values: True where a pixel is known", ErrorKind::argument);
  }
  if (array.ndim() != 2 || static_cast<std::size_t>(array.shape(0)) != picture.height ||
      static_cast<std::size_t>(array.shape(1)) != picture.width) {
    throw Error("given has another shape than the picture; give (" + std::to_string(picture.height) + ", " +
                    std::to_string(picture.width) + ")",
                ErrorKind::argument);
  }
  const auto mask = py::array_t<bool, py::array::c_style | py::array::forcecast>::ensure(array);
  return {mask.data(), mask.data() + mask.size()};
}

py::array array_of_pixels(const Picture& picture, bool colour_axis) {
  std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(picture.height), static_cast<py::ssize_t>(picture.width)};
  if (colour_axis) shape.push_back(static_cast<py::ssize_t>(picture.channels));
  return py::array_t<std::uint8_t>(shape, picture.pixels.data());
}

py::tuple complete_picture(py::handle model, const py::object& given_picture, const py::object& given,
                           Count<"tile"> tile, Count<"samples"> samples, Count<"block"> block, Count<"seed"> seed,
                           Count<"threads"> threads, bool grain) {
  const Shared<Model> loaded = model_of<Model>(model);
  const Picture picture = picture_of(given_picture);
  const std::vector<std::uint8_t> mask = mask_of(given, picture);
  const CompletedPicture done = [&] {
    const py::gil_scoped_release others_run;
    return complete(
        loaded->model, picture, mask,
        {.tile = tile, .samples = samples, .block = block, .seed = seed, .threads = threads, .grain = grain});
  }();
  const bool colour_axis = py::array::ensure(given_picture).ndim() == 3;
  py::list drawn;
  for (const Picture& sample : done.samples) drawn.append(array_of_pixels(sample, colour_axis));
  const py::array_t<float> deviation({picture.height, picture.width}, done.deviation.data());
  return py::make_tuple(array_of_pixels(done.mean, colour_axis), deviation, drawn);
}

}  // namespace

void bind_completion(py::module_& module) {
  constexpr std::size_t kBlock = ContextOptions{}.block;
  module.def("complete", &complete_picture, py::arg("model"), py::arg("picture"), py::arg("given"), py::kw_only(),
             py::arg("tile") = 0, py::arg("samples") = 0, py::arg("block") = kBlock, py::arg("seed") = 0,
             py::arg("threads") = 1, py::arg("grain") = false, doc::kComplete);
}

}  // namespace cmanp::python
