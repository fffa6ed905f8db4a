// SPDX-License-Identifier: BSD-3-Clause
// What the page's blocks use.
#include <vector>
extern hc::Domain& domain;
extern const hc::Subdomain& subdomain;
extern const hc::subdomain_id id;
extern const std::int64_t y, z;
extern const hc::Field<double> u, p, rho;
extern const std::vector<hc::Vec3> velocities;
void deposit(hc::Domain& domain, hc::Field<double> field);

/// As std::mdspan and Kokkos::View are.
struct Span {
  static constexpr std::size_t rank() { return 4; }
  std::size_t extent(std::size_t index) const;
  std::size_t stride(std::size_t index) const;
  double* data_handle() const;
};
extern const Span span;

extern void* my_cuda_stream;
void launch_my_kernel(void* stream);
void launch_my_next_kernel(void* stream);
