// The shape of a model: plain numbers, named as the public PyTorch implementation names them.
#pragma once

#include <array>
#include <cmanp/residual.hpp>
#include <cmanp/season.hpp>
#include <cmanp/width_check.hpp>
#include <cstddef>
#include <string>
#include <vector>

namespace cmanp {

// How the predictive covariance of a block of targets is built.
enum class Covariance { diagonal, cholesky, lowrank };

// What attentions know of x: contents that it is embedded in, or differences of places only.
enum class Coordinates { absolute, relative };

struct Config {
  std::size_t dim_x = 1;
  std::size_t dim_y = 1;
  std::size_t d_model = 64;           // width of tokens and of every attention (nhead * head size)
  std::size_t emb_depth = 4;          // linear layers in each embedder
  std::size_t dim_feedforward = 128;  // hidden width of feed-forwards and heads
  std::size_t nhead = 4;
  std::size_t num_layers = 6;  // CMABs, and decoder layers
  std::size_t num_latents = 128;
  std::size_t num_latents_per_layer = 128;
  std::size_t latent_dim = 64;        // width of the input latents L_I
  std::size_t layer_latent_dim = 64;  // width of each block's own latents L_B
  bool bound_std = false;             // keep deviations above the least
  double least_std = 0.05;            // which is this
  Residual residual = Residual::normalised;
  std::size_t fourier_features = 0;  // sin and cos of 2^k * pi/4 * x, k below this, beside x

  // In relative coordinates latents lie on a grid of this spacing over the range of x that a context is opened with,
  // which gives their number; all are as wide as d_model. In normalised units, of every x.
  Coordinates coordinates = Coordinates::absolute;
  double spacing = 0.105;
  double range_low = -2, range_high = 2;  // where nobody says another
  double longest_length = 40;             // of a head, in spacings: what bounds how far attentions see
  bool absolute_features = false;         // contents know x besides
  std::size_t features = 0;               // so many at the end of x are no places: contents alone know them

  // The not-diagonal head (CMANP-AND).
  Covariance covariance = Covariance::diagonal;
  std::size_t num_std_layers = 2;
  std::size_t prj_dim = 20;
  std::size_t prj_depth = 4;
  std::size_t diag_depth = 4;

  // Trained on data in frames: a context is given one, or finds it from its first observations (ContextOptions::frame).
  bool frames = false;

  // Calibrated on held-out data: every deviation times the first, and the width of the bands of 50, 90 and 95 % times
  // another number each.
  double deviation_scale = 1;
  std::array<double, 3> band_scales{1, 1, 1};

  std::size_t head_dim() const { return d_model / nhead; }
  std::size_t features_x() const { return dim_x * (1 + 2 * fourier_features); }
  std::size_t axes() const { return dim_x - features; }  // of the range and the grid
  // Numbers that x brings into contents.
  std::size_t content_x() const { return !relative() || absolute_features ? features_x() : features; }
  bool relative() const { return coordinates == Coordinates::relative; }
  bool diagonal() const { return covariance == Covariance::diagonal; }

  // "cmanp" or "cmanpand".
  std::string model_name() const { return diagonal() ? "cmanp" : "cmanpand"; }

  bool operator==(const Config&) const = default;
};

// Raw data to what the network sees: (value - shift) / scale, channel by channel.
struct Normalisation {
  std::vector<double> x_shift, x_scale, y_shift, y_scale;
  // Of frames: what is taken off y before, and put upon answers; and, a check for each y or none at all, by how much
  // deviations are off.
  std::vector<Season> seasons = {};
  std::vector<WidthCheck> widths = {};

  static Normalisation identity(const Config& config) {
    return {std::vector<double>(config.dim_x, 0.0), std::vector<double>(config.dim_x, 1.0),
            std::vector<double>(config.dim_y, 0.0), std::vector<double>(config.dim_y, 1.0)};
  }

  bool operator==(const Normalisation&) const = default;
};

}  // namespace cmanp
