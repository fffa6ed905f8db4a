// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halocline/communicator.hpp"

namespace halocline::test {

/// All ranks of a program that has mpi_main.cpp; valid while its cases run. Not for cases that poison or close it.
[[nodiscard]] comm::Communicator& mpi_world();

}  // namespace halocline::test
