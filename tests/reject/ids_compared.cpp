// SPDX-License-Identifier: BSD-3-Clause
// Ids of different things are not compared: subdomain 3 on rank 3 is a coincidence.
// expect: no match for|invalid operands
#include "halocline/ids.hpp"

const halocline::subdomain_id subdomain(3);
#ifdef HC_CONTROL
const bool same = subdomain == halocline::subdomain_id(3);
#else
const bool same = subdomain == halocline::rank_id(3);
#endif
