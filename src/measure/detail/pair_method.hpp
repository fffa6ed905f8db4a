// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string_view>

#include "measure/detail/session.hpp"

namespace halocline::machine::measuring {

/// How bytes get from one device to another without messages.
enum class PairMethod : int { copy, put, get, staged };
inline constexpr std::array all_pair_methods{PairMethod::copy, PairMethod::put, PairMethod::get, PairMethod::staged};
[[nodiscard]] std::string_view to_string(PairMethod method);

/// The device whose stream does it.
[[nodiscard]] int driver(PairMethod method, int from, int to);

/// Asked by the rank that has the driver.
[[nodiscard]] Verdict possible(Session& session, PairMethod method, int from, int to);

/// For the driver's stream, once it is possible: from the source of `from` (from_offset bytes into it) to the target of
/// `to`. Holds what it needs in addition to the session.
[[nodiscard]] Transfer transfer_of(Session& session, PairMethod method, int from, int to, std::size_t from_offset = 0,
                                   std::size_t to_offset = 0);

}  // namespace halocline::machine::measuring
