#include <fmt/core.h>

#include "halocline/halocline.hpp"

// Three-point smoothing along x on two devices of this process; no launcher, no GPU needed.
int main() {
  hc::DomainOptions options;
  options.devices_per_rank = 2;
  hc::Domain domain({64, 64, 64}, hc::Radius::per_dimension(1, 0, 0), options);
  const auto u = domain.add_field<double>("u", hc::buffers::two);
  domain.realize();  // discover, partition, place, allocate, route
  fmt::print("{}", domain.explain());

  for (const auto& s : domain.subdomains()) {
    s.launch(s.owned(), [v = s.view(u)](const hc::Box& box) {
      hc::for_each_cell(box, [&](const hc::Vec3& p) { v(p) = p.x == 32 ? 1 : 0; });
    });
  }
  const auto smooth = [u](const hc::Subdomain& s, const hc::Box& part) {
    s.launch(part, [from = s.view(u), to = s.view(u, 1)](const hc::Box& box) {
      hc::for_each_cell(box, [&](const hc::Vec3& p) {
        to(p) = (from(p.x - 1, p.y, p.z) + from(p) + from(p.x + 1, p.y, p.z)) / 3;
      });
    });
  };
  for (int step = 0; step < 10; ++step) {
    domain.start_exchange();
    for (const auto& s : domain.subdomains()) smooth(s, s.interior());  // while halos are under way
    domain.finish_exchange();
    for (const auto& s : domain.subdomains()) {
      for (const auto& box : s.exterior()) smooth(s, box);  // with halos
    }
    domain.swap(u);
  }
  domain.synchronize();
  domain.close();
}
