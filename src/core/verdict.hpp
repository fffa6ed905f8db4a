// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>

namespace halocline {

/// Yes, or no with a reason. Initially no, until a query or a trial finds otherwise.
struct Verdict {
  bool yes = false;
  std::string why_not;
  [[nodiscard]] static Verdict of(bool yes, std::string why_not = {}) { return {yes, yes ? "" : std::move(why_not)}; }
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

}  // namespace halocline
