// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include "comm/rank_group.hpp"
#include "halocline/error.hpp"

namespace halocline::comm {

/// Runs this rank's part of a collective function. If it throws, this rank is out of step: its next collective must not be taken for
/// the one that the others wait in, so that the group is poisoned.
template <typename Part>
auto in_step(RankGroup& comm, Part&& part) {
  try {
    return std::forward<Part>(part)();
  } catch (...) {
    comm.poison();
    throw;
  }
}

/// Runs a collective function whose errors (Error) the ranks agree on. Any other exception, such as bad_alloc outside of the parts
/// that are agreed on, is this rank's alone, which is then out of step.
template <typename Part>
auto agreed_or_out_of_step(RankGroup& comm, Part&& part) {
  try {
    return std::forward<Part>(part)();
  } catch (const Error&) {
    throw;
  } catch (...) {
    comm.poison();
    throw;
  }
}

}  // namespace halocline::comm
