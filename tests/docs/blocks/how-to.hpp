// SPDX-License-Identifier: BSD-3-Clause
// What the page's blocks use.
extern hc::Domain& domain;
extern const hc::Field<double> u;

/// As std::mdspan and Kokkos::View are.
struct Span {
  static constexpr std::size_t rank() { return 3; }
  std::size_t extent(std::size_t index) const;
  std::size_t stride(std::size_t index) const;
  double* data_handle() const;
};
Span span_for(const hc::Subdomain& s);
void one_step();
