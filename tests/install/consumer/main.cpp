// SPDX-License-Identifier: BSD-3-Clause
// The smallest useful program: a domain on two devices of one process, one exchange, one halo cell checked.
#include <cstdio>

#include <halocline/halocline.hpp>

int main() {
  const hc::Vec3 extent{8, 4, 4};
  hc::DomainOptions options;
  options.devices.per_rank = 2;
  hc::Domain domain(extent, hc::Stencil::box(1), options);
  const auto u = domain.add_field<float>("u");
  domain.realize();

  const auto value = [&](const hc::Vec3& p) { return static_cast<float>(p.x + 10 * p.y + 100 * p.z); };
  const auto wrapped = [&](hc::Vec3 p) {
    for (int dim = 0; dim < 3; ++dim) p[dim] = (p[dim] + extent[dim]) % extent[dim];
    return p;
  };
  for (const auto& subdomain : domain.subdomains()) {
    hc::for_each_cell(subdomain.owned(), [&](const hc::Vec3& p) { subdomain.view(u)(p) = value(p); });
  }
  domain.exchange();
  domain.synchronize();

  long cells = 0;
  long wrong = 0;
  for (const auto& subdomain : domain.subdomains()) {
    const auto view = subdomain.view(u);
    hc::for_each_cell(view.with_halo(), [&](const hc::Vec3& p) {
      ++cells;
      if (view(p) != value(wrapped(p))) ++wrong;
    });
  }
  std::printf("%zu subdomains, %ld cells, %ld wrong\n", domain.subdomains().size(), cells, wrong);
  const bool good = domain.subdomains().size() == 2 && cells == 2 * 6 * 6 * 6 && wrong == 0;
  domain.close();
  return good ? 0 : 1;
}
