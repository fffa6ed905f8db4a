#include "verify.hpp"

#include <fmt/core.h>

#include <array>
#include <cstring>
#include <optional>

namespace cli {
namespace {

using namespace halocline;

constexpr unsigned char sentinel_byte = 0xa5;
using Value = std::array<unsigned char, 16>;

/// Steele, Lea and Flood's splitmix64 finaliser.
std::uint64_t mixed(std::uint64_t v) {
  v += 0x9e3779b97f4a7c15ull;
  v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9ull;
  v = (v ^ (v >> 27)) * 0x94d049bb133111ebull;
  return v ^ (v >> 31);
}

Value sentinel() {
  Value value;
  value.fill(sentinel_byte);
  return value;
}

/// What the cell p of the domain holds. Small elements take the first bytes.
Value value_of(const Vec3& extent, const Vec3& p, std::size_t field, int component, std::uint64_t round) {
  const auto index = static_cast<std::uint64_t>((p.z * extent.y + p.y) * extent.x + p.x);
  const std::uint64_t seed =
      mixed(round) ^ mixed((std::uint64_t{field} << 8) + static_cast<std::uint64_t>(component) + 1);
  const std::array<std::uint64_t, 2> words{mixed(index ^ seed), mixed(index + seed)};
  Value value;
  std::memcpy(value.data(), words.data(), value.size());
  if (value[0] == sentinel_byte) value[0] = 0x5a;
  return value;
}

/// What cell p of a subdomain's frame holds after an exchange: its own value where owned, its image's where
/// the radius reads it, nothing (the sentinel) elsewhere.
struct Expectation {
  bool halo = false;
  std::optional<Vec3> image;
};

Expectation expected_at(const Vec3& p, const Box& owned, const Radius& radius, const Vec3& extent,
                        const Boundaries& boundaries) {
  if (owned.contains(p)) return {false, p};
  std::array<int, 3> side{};
  Vec3 image = p;
  for (int dim = 0; dim < 3; ++dim) {
    side[static_cast<std::size_t>(dim)] = p[dim] < owned.lo[dim] ? -1 : (p[dim] >= owned.hi[dim] ? 1 : 0);
    if (p[dim] >= 0 && p[dim] < extent[dim]) continue;
    if (boundaries[static_cast<std::size_t>(dim)] == Boundary::open) return {};
    image[dim] = ((p[dim] % extent[dim]) + extent[dim]) % extent[dim];
  }
  if (!radius.reads(Direction::of(side[0], side[1], side[2]))) return {};
  return {true, image};
}

/// Calls f(subdomain, field, component, view, bytes of an element) for every array of this rank.
template <typename F>
void for_each_array(Domain& domain, F&& f) {
  const auto& fields = domain.geometry().fields;
  for (const auto& subdomain : domain.subdomains()) {
    for (std::size_t field = 0; field < fields.size(); ++field) {
      const auto view = subdomain.bytes(field_id(static_cast<std::int64_t>(field)));
      for (int component = 0; component < fields[field].components; ++component) {
        f(subdomain, field, component, view, static_cast<std::size_t>(bytes_of(fields[field].element)));
      }
    }
  }
}

/// The verdicts of all ranks as one.
Verdict agreed(comm::Communicator& comm, Verdict mine) {
  std::array<std::int64_t, 4> counts{mine.halo_cells, mine.halo_wrong, mine.other_cells, mine.other_changed};
  comm.all_reduce(std::span<std::int64_t>(counts), comm::Reduction::sum);
  const auto texts = comm.all_gather(std::as_bytes(std::span<const char>(mine.first)));
  Verdict all{counts[0], counts[1], counts[2], counts[3], {}};
  for (std::size_t rank = 0; rank < texts.size() && all.first.empty(); ++rank) {
    if (texts[rank].empty()) continue;
    all.first = fmt::format("rank {}: ", rank);
    all.first.append(reinterpret_cast<const char*>(texts[rank].data()), texts[rank].size());
  }
  return all;
}

}  // namespace

void fill_for_verification(Domain& domain, std::uint64_t round) {
  domain.synchronize();
  const Vec3 extent = domain.geometry().partition.extent();
  for_each_array(domain, [&](const auto&, std::size_t field, int component, const auto& view, std::size_t bytes) {
    for_each_cell(view.with_halo(), [&](const Vec3& p) {
      const Value value = view.owned().contains(p) ? value_of(extent, p, field, component, round) : sentinel();
      std::memcpy(&view(p, component), value.data(), bytes);
    });
  });
  // Nobody may send into a halo that its owner has not filled with the sentinel yet.
  domain.comm().barrier();
}

Verdict verify(Domain& domain, std::uint64_t round) {
  domain.synchronize();
  const auto& geometry = domain.geometry();
  const Vec3 extent = geometry.partition.extent();
  Verdict mine;
  for_each_array(
      domain, [&](const auto& subdomain, std::size_t field, int component, const auto& view, std::size_t bytes) {
        const Radius& radius = geometry.radius_of(field_id(static_cast<std::int64_t>(field)));
        for_each_cell(view.with_halo(), [&](const Vec3& p) {
          const Expectation expected = expected_at(p, view.owned(), radius, extent, geometry.boundaries);
          const Value value = expected.image ? value_of(extent, *expected.image, field, component, round) : sentinel();
          const bool right = std::memcmp(&view(p, component), value.data(), bytes) == 0;
          ++(expected.halo ? mine.halo_cells : mine.other_cells);
          if (right) return;
          ++(expected.halo ? mine.halo_wrong : mine.other_changed);
          if (!mine.first.empty()) return;
          mine.first = fmt::format("subdomain {} field {} cell ({}, {}, {}) {}", subdomain.id().value(),
                                   geometry.fields[field].name, p.x, p.y, p.z,
                                   expected.halo ? "does not hold what its neighbour owns" : "was changed");
        });
      });
  // Nobody may go on to the next exchange before all have looked: the reductions see to that.
  return agreed(domain.comm(), std::move(mine));
}

}  // namespace cli
