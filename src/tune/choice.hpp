// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "io/tuning_cache.hpp"

// What times mean. Pure.
namespace halocline::tune {

/// A default that is not slower than this stays: another choice has to be so much faster by its median.
inline constexpr double least_gain = 0.03;

[[nodiscard]] io::Quantiles quantiles_of(std::vector<double> seconds);

/// The median's ratio to the default's in the same rounds; below 1 is faster.
[[nodiscard]] double ratio_of(const io::TunedTrial& trial);
/// By the median at least least_gain faster than the default, and faster by the lower quartile, too, so that some slow rounds of the
/// default are not enough.
[[nodiscard]] bool is_better(const io::TunedTrial& trial);
/// Worth fresh rounds: faster by so much in its median or in its lower quartile, as few rounds on a busy machine may all be disturbed.
[[nodiscard]] bool is_promising(const io::TunedTrial& trial);
/// The order of trials: by the ratio of lower quartiles.
[[nodiscard]] bool is_before(const io::TunedTrial& a, const io::TunedTrial& b);
/// So much slower, even by its fast rounds against the slow ones of the default, that more rounds would not change it.
[[nodiscard]] bool is_hopeless(const io::TunedTrial& trial);

/// The best of several settings for different options, as one: the settings of the fastest trial, then of others where they set other options.
/// Only trials that are promising count.
[[nodiscard]] io::Settings together(std::span<const io::TunedTrial> fastest_first);

/// The trial with the smallest median among those that are better; null: the default stays.
[[nodiscard]] const io::TunedTrial* winner_of(std::span<const io::TunedTrial> confirmed);

}  // namespace halocline::tune
