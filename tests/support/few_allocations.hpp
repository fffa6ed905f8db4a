// SPDX-License-Identifier: BSD-3-Clause
// For programs with few_allocations.cpp, which replaces operator new.
#pragma once

namespace halocline::test {

/// So many allocations of this thread succeed, and all later ones fail; all succeed while it is negative.
extern thread_local int allocations_left;

}  // namespace halocline::test
