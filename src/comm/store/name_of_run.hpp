// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "halocline/session.hpp"

namespace halocline::comm::store {

/// A name for the keys of the ranks that are here now: `name` and a number that rank 0 draws. So nothing that an earlier run has left in the
/// store is taken for a message of this one. Collective. Throws DeadlineError where a rank does not come.
[[nodiscard]] std::string name_of_run(Store& store, const std::string& name, int rank, int size, Duration timeout);

}  // namespace halocline::comm::store
