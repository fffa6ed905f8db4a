// SPDX-License-Identifier: BSD-3-Clause
// What the page's blocks use.
extern const hc::Subdomain& s;
extern const hc::Field<float> u;
extern const int x, y, z;
