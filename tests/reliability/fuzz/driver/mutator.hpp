// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/seeded.hpp"

namespace halocline::fuzz {

/// The largest input.
inline constexpr std::size_t most_bytes = std::size_t{64} << 10;

/// Inputs made from a corpus. Pure: a seed gives the same input as long as the corpus is the same.
class Mutator {
 public:
  /// Throws std::invalid_argument if the corpus is empty.
  explicit Mutator(std::vector<std::string> corpus);

  [[nodiscard]] std::string input(std::uint64_t seed) const;

 private:
  void mutate(std::string& text, test::Seeded& random) const;
  void change_bytes(std::string& text, test::Seeded& random) const;
  void change_parts(std::string& text, test::Seeded& random) const;
  void repeat(std::string& text, test::Seeded& random) const;
  [[nodiscard]] const std::string& word(test::Seeded& random) const;

  std::vector<std::string> corpus_;
  std::vector<std::string> words_;  ///< of the corpus, and values at the edges
};

}  // namespace halocline::fuzz
