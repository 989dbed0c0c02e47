#include "kernels/attention_layer.hpp"

#include "kernels/every_target.hpp"
#include "kernels/plain.hpp"

namespace cmanp::kernels {
namespace {

class AttentionLayerTest : public EveryTarget {};

struct LayerSizes {
  Heads heads;
  std::size_t width, context_width, rows, keys;
};

constexpr LayerSizes kSizes[] = {{{1, 1}, 1, 1, 1, 1},
                                 {{3, 1}, 5, 4, 7, 2},
                                 {{2, 5}, 10, 7, 50, 20},
                                 {{4, 4}, 16, 24, 17, 130},
                                 {{4, 16}, 64, 64, 128, 128}};

// A layer's weights as PyTorch has them, and what they give in double precision.
struct PlainLayer {
  explicit PlainLayer(const LayerSizes& s)
      : sizes(s),
        gamma(plain::random_matrix(1, s.width, 1)),
        beta(plain::random_matrix(1, s.width, 2)),
        context_gamma(plain::random_matrix(1, s.context_width, 3)),
        context_beta(plain::random_matrix(1, s.context_width, 4)),
        query(plain::random_matrix(s.heads.inner(), s.width, 5, fan(s.width))),
        key(plain::random_matrix(s.heads.inner(), s.context_width, 6, fan(s.context_width))),
        value(plain::random_matrix(s.heads.inner(), s.context_width, 7, fan(s.context_width))),
        output(plain::random_matrix(s.width, s.heads.inner(), 8, fan(s.heads.inner()))),
        output_bias(plain::random_matrix(1, s.width, 9)),
        query_bias(plain::random_matrix(1, s.heads.inner(), 10)),
        key_bias(plain::random_matrix(1, s.heads.inner(), 11)),
        value_bias(plain::random_matrix(1, s.heads.inner(), 12)) {}

  static float fan(std::size_t in) { return 1.0f / std::sqrt(static_cast<float>(in)); }

  AttentionLayer pack(bool cross, HeadLayout layout) const {
    AttentionLayer::Raw raw{query.data(),      query_bias.data(), key.data(),         key_bias.data(), value.data(),
                            value_bias.data(), output.data(),     output_bias.data(), nullptr,         nullptr};
    if (cross) {
      raw.context_gamma = context_gamma.data();
      raw.context_beta = context_beta.data();
    }
    return AttentionLayer::pack(raw, Norm::pack(gamma.data(), beta.data(), sizes.width), sizes.heads, sizes.width,
                                cross ? sizes.context_width : sizes.width, layout);
  }

  plain::Rows attended(const plain::Rows& x, const plain::Rows& context) const {
    auto q = plain::linear(plain::layer_norm(x, gamma, beta), query, &query_bias);
    for (auto& row : q) {
      for (double& value_at : row) value_at /= std::sqrt(static_cast<double>(sizes.heads.dim));
    }
    return plain::attention(q, plain::linear(context, key, &key_bias), plain::linear(context, value, &value_bias),
                            sizes.heads.count);
  }

  plain::Rows run(const plain::Rows& x, const plain::Rows& context, Residual residual) const {
    const auto normal = plain::layer_norm(x, gamma, beta);
    auto result = plain::linear(attended(x, context), output, &output_bias);
    for (std::size_t r = 0; r < x.size(); ++r) {
      for (std::size_t i = 0; i < sizes.width; ++i) {
        result[r][i] += residual == Residual::normalised ? normal[r][i] : x[r][i];
      }
    }
    return result;
  }

  LayerSizes sizes;
  plain::Matrix gamma, beta, context_gamma, context_beta, query, key, value, output, output_bias, query_bias, key_bias,
      value_bias;
};

void expect_rows_near(const Buffer<float>& y, const plain::Rows& expected, std::size_t width) {
  for (std::size_t r = 0; r < expected.size(); ++r) {
    for (std::size_t i = 0; i < padded(width); ++i) {
      ASSERT_NEAR(y[r * padded(width) + i], i < width ? expected[r][i] : 0.0, 3e-5) << width << " at " << r << "," << i;
    }
  }
}

// What was kept for backward: every head from the start of a panel.
void expect_attended_near(const Buffer<float>& attended, const plain::Rows& expected, const Heads& heads) {
  for (std::size_t r = 0; r < expected.size(); ++r) {
    for (std::size_t h = 0; h < heads.count; ++h) {
      for (std::size_t i = 0; i < padded(heads.dim); ++i) {
        ASSERT_NEAR(attended[r * heads.padded_inner() + h * padded(heads.dim) + i],
                    i < heads.dim ? expected[r][h * heads.dim + i] : 0.0, 3e-5)
            << "row " << r << ", head " << h << ", " << i;
      }
    }
  }
}

// Both layouts of heads; the one that training asks for also keeps what the output projection read.
class Layouts {
 public:
  Layouts(const PlainLayer& plain_layer, bool cross)
      : layers_{plain_layer.pack(cross, HeadLayout::close), plain_layer.pack(cross, HeadLayout::on_panels)},
        attended_(plain_layer.sizes.rows * plain_layer.sizes.heads.padded_inner()) {}

  // run(layer, kept), with the layout that keeps last.
  template <class Run>
  void each(const Run& run) {
    run(layers_[0], nullptr);
    run(layers_[1], attended_.data());
  }
  const Buffer<float>& attended() const { return attended_; }

 private:
  AttentionLayer layers_[2];
  Buffer<float> attended_;
};

TEST_P(AttentionLayerTest, CrossEqualsPlainSubLayer) {
  for (const LayerSizes& sizes : kSizes) {
    const PlainLayer plain_layer(sizes);
    Layouts layouts(plain_layer, true);
    const auto x = plain::random_matrix(sizes.rows, sizes.width, 20);
    const auto context = plain::random_matrix(sizes.keys, sizes.context_width, 21);
    // Keys come from rows normalised without scale and shift; those are folded into the weights.
    auto rows = plain::pad_rows(context);
    const std::size_t ld = padded(sizes.context_width);
    layer_norm(Norm::plain(sizes.context_width), rows.data(), ld, sizes.keys, rows.data(), ld);
    const auto normal_context =
        plain::layer_norm(plain::to_rows(context), plain_layer.context_gamma, plain_layer.context_beta);
    layouts.each([&](const AttentionLayer& layer, float* kept) {
      Buffer<float> row_panels(padded(sizes.keys) * sizes.context_width);
      Buffer<float> transposed(keys_size(layer.heads, sizes.keys)), values(values_size(layer.heads, sizes.keys));
      make_keys(layer, rows.data(), ld, sizes.keys, row_panels.data(), transposed.data(), values.data());
      for (const Residual residual : {Residual::normalised, Residual::plain}) {
        auto y = plain::pad_rows(x);
        Buffer<float> scratch(layer.cross_scratch(sizes.keys));
        cross_attention(layer, residual, y.data(), sizes.rows, {transposed.data(), values.data(), sizes.keys},
                        scratch.data(), {kept});
        expect_rows_near(y, plain_layer.run(plain::to_rows(x), normal_context, residual), sizes.width);
      }
    });
    expect_attended_near(layouts.attended(), plain_layer.attended(plain::to_rows(x), normal_context), sizes.heads);
  }
}

TEST_P(AttentionLayerTest, SelfEqualsPlainSubLayer) {
  for (LayerSizes sizes : kSizes) {
    sizes.context_width = sizes.width;
    const PlainLayer plain_layer(sizes);
    Layouts layouts(plain_layer, false);
    const auto x = plain::random_matrix(sizes.rows, sizes.width, 22);
    const auto normal = plain::layer_norm(plain::to_rows(x), plain_layer.gamma, plain_layer.beta);
    layouts.each([&](const AttentionLayer& layer, float* kept) {
      for (const Residual residual : {Residual::normalised, Residual::plain}) {
        auto y = plain::pad_rows(x);
        Buffer<float> scratch(layer.self_scratch(sizes.rows));
        self_attention(layer, residual, y.data(), sizes.rows, scratch.data(), {kept});
        expect_rows_near(y, plain_layer.run(plain::to_rows(x), normal, residual), sizes.width);
      }
    });
    expect_attended_near(layouts.attended(), plain_layer.attended(plain::to_rows(x), normal), sizes.heads);
  }
}

CMANP_ON_EVERY_TARGET(AttentionLayerTest);

}  // namespace
}  // namespace cmanp::kernels
