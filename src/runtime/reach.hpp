// How far an attention in relative coordinates sees: where the penalty has taken a score so far below what is certainly
// there that a float does not notice its share.
//
// A score is at most |q| |k| - gamma d². Where there is a null key, its score is certainly there; else a key at the
// distance of half a step of the grid, with a score of -|q| |k| - gamma (step / 2)² at least. Queries and keys come
// from normalised rows, whose length is at most the root of their width, so that weights alone bound them.
#pragma once

#include <cstddef>
#include <vector>

namespace cmanp::runtime {

// The share of what is left out, in logarithms: of a key among others, and of one of any number of observations.
inline constexpr double kUnnoticed = 18, kUnnoticedOfMany = 28;

// At least the largest factor by which a matrix [rows][columns] makes a vector longer, and not much more.
double largest_stretch(const std::vector<double>& matrix, std::size_t rows, std::size_t columns);

// At least the length of W (gamma * n + beta) for any normalised row n; W [rows][width].
double longest_projection(const float* weights, std::size_t rows, const std::vector<float>& gamma,
                          const std::vector<float>& beta);

// Of a head, given a bound of |q| |k|.
double reach_among_keys(double score_bound, double gamma, double nearest_squared);
double reach_to_context(double score_bound, double gamma, double null_score);

}  // namespace cmanp::runtime
