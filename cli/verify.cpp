// SPDX-License-Identifier: BSD-3-Clause
#include "verify.hpp"
#include "domain/internals.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <future>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "comm/gather.hpp"
#include "core/wire.hpp"
#include "halocline/host_array.hpp"
#include "partition/halo.hpp"

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

/// The real numbers of an element as f(number) changes them.
template <typename F>
void change_numbers(Element element, Value& value, F&& f) {
  const auto change = [&]<typename T>(std::size_t count) {
    std::array<T, 2> numbers;
    std::memcpy(numbers.data(), value.data(), sizeof numbers);
    for (std::size_t i = 0; i < count; ++i) numbers[i] = f(numbers[i]);
    std::memcpy(value.data(), numbers.data(), sizeof numbers);
  };
  if (element == Element::f32) change.template operator()<float>(1);
  else change.template operator()<double>(element == Element::c128 ? 2 : 1);
}

/// What a cell is after it was sent.
Value as_sent(const FieldDescriptor& descriptor, Value value) {
  if (!descriptor.wire) return value;
  change_numbers(descriptor.element, value, [&]<typename T>(T number) {
    switch (*descriptor.wire) {
      case Element::f16: return in_format<T>(in_format<Half>(number));
      case Element::bf16: return in_format<T>(in_format<BFloat16>(number));
      default: return in_format<T>(in_format<float>(number));
    }
  });
  return value;
}

/// What the cell p of a field holds; extent: of the field's cells. Small elements take the first bytes. With a wire format it holds
/// numbers within the range of all formats.
Value value_of(const FieldDescriptor& descriptor, const Vec3& extent, const Vec3& p, std::size_t field, int component,
               std::uint64_t round) {
  const auto index = static_cast<std::uint64_t>((p.z * extent.y + p.y) * extent.x + p.x);
  const std::uint64_t seed =
      mixed(round) ^ mixed((std::uint64_t{field} << 8) + static_cast<std::uint64_t>(component) + 1);
  const std::array<std::uint64_t, 2> words{mixed(index ^ seed), mixed(index + seed)};
  Value value;
  std::memcpy(value.data(), words.data(), value.size());
  if (value[0] == sentinel_byte) value[0] = 0x5a;
  if (!descriptor.wire) return value;
  std::size_t next = 0;
  change_numbers(descriptor.element, value, [&]<typename T>(T) {
    return static_cast<T>(static_cast<double>(static_cast<std::int32_t>(words[next++])) * 0x1p-16);
  });
  return value;
}

/// What cell p of a subdomain's frame holds after an exchange: its own value where owned, its image's where
/// the halo has it, nothing (the sentinel) elsewhere.
struct Expectation {
  std::optional<Direction> side;  ///< of a halo that is exchanged
  std::optional<Vec3> image;
};

Expectation expected_at(const Vec3& p, const Box& owned, const HaloWidth& halo, const Vec3& extent,
                        const Boundaries& boundaries) {
  if (owned.contains(p)) return {std::nullopt, p};
  std::array<int, 3> side{};
  Vec3 image = p;
  for (int dim = 0; dim < 3; ++dim) {
    side[static_cast<std::size_t>(dim)] = p[dim] < owned.lo[dim] ? -1 : (p[dim] >= owned.hi[dim] ? 1 : 0);
    if (p[dim] >= 0 && p[dim] < extent[dim]) continue;
    if (boundaries[static_cast<std::size_t>(dim)] == Boundary::open) return {};
    image[dim] = ((p[dim] % extent[dim]) + extent[dim]) % extent[dim];
  }
  const Direction direction = Direction::of(side[0], side[1], side[2]);
  if (!halo.has(direction)) return {};
  return {direction, image};
}

/// A field of a subdomain, and the host's copy of its current array.
struct HostCopy {
  const Subdomain& subdomain;
  field_id field;
  const HostBytes& memory;
};

bool same_shape(const HostBytes& memory, const Subdomain& subdomain, field_id field) {
  const auto here = memory.bytes();
  const auto there = subdomain.bytes(field);
  return memory.fits(subdomain, field) && here.with_halo() == subdomain.with_halo(field) &&
         here.owned() == there.owned();
}

/// Calls f(copy) for every array of this rank, one after the other, so that there is host memory for one at a time
/// only.
template <typename F>
void for_each_array(Domain& domain, F&& f) {
  std::unique_ptr<HostBytes> memory;  // pinning it takes long, so that fields of one shape use one
  for (const auto& subdomain : domain.subdomains()) {
    for (std::size_t field = 0; field < internals(domain).geometry().fields.size(); ++field) {
      const field_id id(static_cast<std::int64_t>(field));
      if (!memory || !same_shape(*memory, subdomain, id)) {
        memory.reset();
        memory = std::make_unique<HostBytes>(subdomain, id);
      }
      f(HostCopy{subdomain, id, *memory});
    }
  }
}

/// Calls f(planes of the box, number of the part) for parts of a box, each in a thread of its own if one can be started, and
/// waits for them all.
template <typename F>
void in_parts(const Box& box, std::size_t parts, F&& f) {
  const std::int64_t planes = box.extent().z;
  std::vector<std::future<void>> running;
  for (std::size_t part = 0; part < parts; ++part) {
    Box slab = box;
    slab.lo.z = box.lo.z + planes * static_cast<std::int64_t>(part) / static_cast<std::int64_t>(parts);
    slab.hi.z = box.lo.z + planes * static_cast<std::int64_t>(part + 1) / static_cast<std::int64_t>(parts);
    const auto run = [&f, slab, part] { f(slab, part); };
    try {
      running.push_back(std::async(std::launch::async, run));
    } catch (const std::system_error&) {
      run();
    }
  }
  for (auto& one : running) one.get();
}

/// As if the machine's cores were shared by all ranks of the domain.
std::size_t parts_for(Domain& domain) {
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  return static_cast<std::size_t>(std::clamp(cores / domain.plan().comm.size(), 1, 32));
}

/// What is wrong in some planes of an array.
Verdict verdict_of(const Domain& domain, const HostCopy& copy, const Box& planes, std::uint64_t round) {
  const auto& geometry = internals(domain).geometry();
  const auto& descriptor = geometry.fields[copy.field.index()];
  const HaloWidth& halo = geometry.halo_of(copy.field);
  const Vec3 extent = geometry.domain_box(copy.field).extent();
  const auto view = copy.memory.bytes();
  const auto bytes = static_cast<std::size_t>(bytes_of(descriptor.element));
  Verdict mine;
  for_each_cell(planes, [&](const Vec3& p) {
    const Expectation expected = expected_at(p, view.owned(), halo, extent, geometry.boundaries);
    for (int component = 0; component < descriptor.components; ++component) {
      const bool in_halo = expected.side && partition::is_sent(descriptor, component, expected.side->opposite());
      const bool holds = expected.image && (in_halo || !expected.side);
      Value value = sentinel();
      if (holds) value = value_of(descriptor, extent, *expected.image, copy.field.index(), component, round);
      if (holds && in_halo) value = as_sent(descriptor, value);
      const bool right = std::memcmp(&view(p, component), value.data(), bytes) == 0;
      ++(in_halo ? mine.halo_cells : mine.other_cells);
      if (right) continue;
      ++(in_halo ? mine.halo_wrong : mine.other_changed);
      if (!mine.first.empty()) continue;
      mine.first =
          fmt::format("subdomain {} field {} cell ({}, {}, {}) {}", copy.subdomain.id().value(), descriptor.name, p.x,
                      p.y, p.z, in_halo ? "does not hold what its neighbour owns" : "was changed");
    }
  });
  return mine;
}

void add(Verdict& all, const Verdict& part) {
  all.halo_cells += part.halo_cells;
  all.halo_wrong += part.halo_wrong;
  all.other_cells += part.other_cells;
  all.other_changed += part.other_changed;
  if (all.first.empty()) all.first = part.first;
}

/// The verdicts of all ranks as one.
Verdict agreed(comm::RankGroup& comm, Verdict mine) {
  std::array<std::int64_t, 5> counts{mine.halo_cells, mine.halo_wrong, mine.other_cells, mine.other_changed,
                                     mine.messages};
  comm.all_reduce(std::span<std::int64_t>(counts), comm::Reduction::sum);
  const auto texts = comm::gather(comm, mine.first);
  Verdict all{counts[0], counts[1], counts[2], counts[3], counts[4], {}};
  for (std::size_t rank = 0; rank < texts.size() && all.first.empty(); ++rank) {
    if (!texts[rank].empty()) all.first = fmt::format("rank {}: {}", rank, texts[rank]);
  }
  return all;
}

}  // namespace

void fill_for_verification(Domain& domain, std::uint64_t round) {
  domain.synchronize();
  for_each_array(domain, [&](const HostCopy& copy) {
    const Vec3 extent = internals(domain).geometry().domain_box(copy.field).extent();
    const auto& descriptor = copy.subdomain.descriptor(copy.field);
    const auto view = copy.memory.bytes();
    const auto bytes = static_cast<std::size_t>(bytes_of(descriptor.element));
    in_parts(view.with_halo(), parts_for(domain), [&](const Box& planes, std::size_t) {
      for_each_cell(planes, [&](const Vec3& p) {
        for (int component = 0; component < descriptor.components; ++component) {
          const Value value = view.owned().contains(p)
                                  ? value_of(descriptor, extent, p, copy.field.index(), component, round)
                                  : sentinel();
          std::memcpy(&view(p, component), value.data(), bytes);
        }
      });
    });
    copy.memory.upload(copy.subdomain, copy.field);
  });
  // No rank may send into a halo that its owner has not filled with the sentinel yet.
  domain.plan().comm.barrier();
}

Verdict verify(Domain& domain, std::uint64_t round) {
  domain.synchronize();
  Verdict mine;
  for_each_array(domain, [&](const HostCopy& copy) {
    copy.memory.download(copy.subdomain, copy.field);
    std::vector<Verdict> parts(parts_for(domain));
    in_parts(copy.memory.bytes().with_halo(), parts.size(),
             [&](const Box& planes, std::size_t part) { parts[part] = verdict_of(domain, copy, planes, round); });
    for (const Verdict& part : parts) add(mine, part);
  });
  for (const auto& subdomain : domain.subdomains()) {
    mine.messages += std::ssize(partition::incoming(internals(domain).geometry(), subdomain.id()));
  }
  // No rank may start the next exchange before all have compared: the reductions ensure that.
  return agreed(domain.plan().comm, std::move(mine));
}

}  // namespace cli
