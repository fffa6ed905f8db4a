// SPDX-License-Identifier: BSD-3-Clause
// A rank is not a device, though both are numbers.
// expect: (could not convert|no viable conversion|cannot convert|no known conversion|no matching function)
#include "halocline/ids.hpp"

using halocline::device_id;
using halocline::rank_id;

constexpr bool drives(device_id device) { return device.valid(); }

#ifdef HC_CONTROL
const bool answer = drives(device_id(1));
#else
const bool answer = drives(rank_id(1));
#endif
