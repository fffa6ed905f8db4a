// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "halocline/session.hpp"

namespace halocline::comm::store {

/// Leaves the exception that is handled now, if there is one, for each other rank of a group. What the store does not take is lost: those ranks
/// wait until their timeout.
void send_failure(Store& store, const std::string& group, int rank, int size) noexcept;

/// Throws what rank `from` has left for this rank; returns if that is nothing.
void throw_failure(Store& store, const std::string& group, int from, int rank);

}  // namespace halocline::comm::store
