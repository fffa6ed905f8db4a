// SPDX-License-Identifier: BSD-3-Clause
// Writes images that images.py reads: write_images FOLDER [DEVICES [LIMITED_RANK]]. The limited rank may write no large files in its
// second step, whose error each rank prints.
#include <sys/resource.h>

#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/half.hpp"
#include "halocline/halocline.hpp"

namespace {

using namespace halocline;

constexpr Vec3 extent{13, 11, 9};

/// images.py has the same function.
std::int64_t number_at(const Vec3& p, int component, std::int64_t step) {
  return (3 * p.x + 5 * p.y + 7 * p.z + 11 * component + 13 * step) % 101;
}

template <typename T>
void put(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

void put_number(std::byte* at, Element element, std::int64_t n) {
  const double real = static_cast<double>(n) / 4 - 8;
  const double imaginary = static_cast<double>(n) / 8;
  const auto narrow = static_cast<float>(real);
  switch (element) {
    case Element::i8: return put(at, static_cast<std::int8_t>(n - 50));
    case Element::u8: return put(at, static_cast<std::uint8_t>(n));
    case Element::i16: return put(at, static_cast<std::int16_t>(n - 50));
    case Element::u16: return put(at, static_cast<std::uint16_t>(n));
    case Element::i32: return put(at, static_cast<std::int32_t>(n - 50));
    case Element::u32: return put(at, static_cast<std::uint32_t>(n));
    case Element::i64: return put(at, n - 50);
    case Element::u64: return put(at, static_cast<std::uint64_t>(n));
    case Element::f16: return put(at, Half::of(narrow).bits);
    case Element::bf16: return put(at, BFloat16::of(narrow).bits);
    case Element::f32: return put(at, narrow);
    case Element::f64: return put(at, real);
    case Element::c64: return put(at, std::complex<float>(narrow, static_cast<float>(imaginary)));
    case Element::c128: return put(at, std::complex<double>(real, imaginary));
  }
}

void set_cells(const Domain& domain, std::span<const field_id> fields, std::int64_t step) {
  for (const Subdomain& s : domain.subdomains()) {
    for (const field_id id : fields) {
      const HostBytes copy(s, id);
      const auto& field = s.descriptor(id);
      for (int component = 0; component < field.components; ++component) {
        for_each_cell(copy.bytes().owned(), [&](const Vec3& p) {
          put_number(&copy.bytes()(p, component), field.element, number_at(p, component, step));
        });
      }
      copy.upload(s, id);
    }
  }
}

void run(comm::Session& session, const std::string& folder, int devices, int limited) {
  const auto world = session.world();
  DomainOptions options;
  options.boundaries = {Boundary::periodic, Boundary::open, Boundary::open};
  options.devices.kind = DeviceKind::host;
  options.devices.per_rank = devices;
  Domain domain(extent, Stencil::star(1), world, options);
  std::vector<field_id> fields;
  for (int e = 0; e <= static_cast<int>(Element::c128); ++e) {
    const auto element = static_cast<Element>(e);
    fields.push_back(
        domain.add_field({.name = std::string(to_string(element)), .element = element, .components = 1 + e % 3}));
  }
  fields.push_back(
      domain.add_field({.name = "faces <\"&\">", .element = Element::f64, .staggered = {true, true, false}}));
  domain.realize();
  Output output(domain, folder + "/heat.pvd", {.origin = {-1, 0.5, 2}, .spacing = {0.1, 0.25, 1e-3}});
  for (const std::int64_t step : {0, 120}) {
    set_cells(domain, fields, step);
    output.start(step, static_cast<double>(step) * 0.1);
    set_cells(domain, fields, 55);  // what comes after start() is not written
    if (step > 0 && limited == world.rank().value()) {
      const rlimit limit{16384, RLIM_INFINITY};
      setrlimit(RLIMIT_FSIZE, &limit);
    }
    try {
      output.finish();
    } catch (const ResourceError& error) {
      std::printf("resource: %s\n", error.what());
    }
  }
  domain.close();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    comm::Session session(&argc, &argv, Environment::read());
    try {
      run(session, argc > 1 ? argv[1] : ".", argc > 2 ? std::atoi(argv[2]) : 1, argc > 3 ? std::atoi(argv[3]) : -1);
      return 0;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      session.abort(1);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  return 1;
}
