// SPDX-License-Identifier: BSD-3-Clause
// A plain number does not convert to a rank.
// expect: (could not convert|no viable conversion|cannot convert|no known conversion|no matching function|conversion)
#include "halocline/ids.hpp"

#ifdef HC_CONTROL
const halocline::rank_id root{0};
#else
const halocline::rank_id root = 0;
#endif
