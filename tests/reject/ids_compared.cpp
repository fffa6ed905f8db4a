// SPDX-License-Identifier: BSD-3-Clause
// Ids of different kinds cannot be compared, such as a subdomain and a rank.
// expect: no match for|invalid operands
#include "halocline/ids.hpp"

const halocline::subdomain_id subdomain(3);
#ifdef HC_CONTROL
const bool same = subdomain == halocline::subdomain_id(3);
#else
const bool same = subdomain == halocline::rank_id(3);
#endif
