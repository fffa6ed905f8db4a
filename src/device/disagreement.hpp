// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "halocline/error.hpp"

namespace halocline::device {

/// The tokens that two sides compared. They are equal where the epochs differ.
struct Tokens {
  std::uint64_t expected = 0;
  std::uint64_t found = 0;
};

/// A ProtocolError that keeps the tokens, from which an exchange finds out in what the two sides differ.
class Disagreement : public ProtocolError {
 public:
  Disagreement(const std::string& message, const Tokens& tokens) : ProtocolError(message), tokens_(tokens) {}
  [[nodiscard]] const Tokens& tokens() const noexcept { return tokens_; }

 private:
  Tokens tokens_;
};

}  // namespace halocline::device
