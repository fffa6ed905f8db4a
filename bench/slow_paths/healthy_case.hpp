// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "halocline/halocline.hpp"

namespace halocline::bench {

/// How a step exchanges and updates.
enum class Step : int { whole, overlapped, as_ready };

/// A domain and its steps, drawn by seed and number: the same on all ranks.
struct HealthyCase {
  HealthyCase(std::uint64_t seed, std::int64_t number, std::int64_t most_edge);

  Vec3 extent;
  std::int64_t radius = 1;
  bool star = false;
  std::vector<Element> elements;  ///< of the fields besides the first, which is of f32
  Boundaries boundaries = all_periodic;
  partition::Method partition = partition::Method::automatic;
  routing::Messages messages = routing::Messages::by_neighbour;
  std::string transports;     ///< empty: the default
  bool all_devices = false;   ///< or one of each rank
  std::vector<Step> steps;    ///< 32 or more
  int updates = 0;            ///< of the interior, while halos are under way
  int more_updates = 0;       ///< of rank 0, before each step
  bool synchronized = false;  ///< after each step, or at the end only
  [[nodiscard]] std::string text() const;

 private:
  std::mt19937_64 random_;
  std::int64_t below(std::int64_t most) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most));
  }
  template <typename T, std::size_t n>
  T one_of(const std::array<T, n>& all) {
    return all[static_cast<std::size_t>(below(n))];
  }
};

}  // namespace halocline::bench
