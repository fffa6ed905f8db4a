// SPDX-License-Identifier: BSD-3-Clause
// What the page's blocks use.
#include <span>
extern hc::Domain& domain;
extern const hc::Field<double> u;
extern const int n;
void update(const hc::Subdomain& s, const hc::Box& box);
