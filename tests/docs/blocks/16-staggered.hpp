// SPDX-License-Identifier: BSD-3-Clause
// What the page's blocks use.
#include <array>
#include <string>
#include <vector>
extern hc::Domain& domain;
extern const hc::Subdomain& s;
extern const hc::Field<double> u;
extern hc::Field<double> p;
extern std::array<hc::Field<double>, 3> v;
extern const std::array<hc::Vec3, 3> unit;
using Kernel = void (*)(const hc::Box& box);
extern const Kernel update_faces, update_cells;
void half_step(const std::vector<hc::Transfer>& read, Kernel update);
