// SPDX-License-Identifier: BSD-3-Clause
#include "support/halo_case.hpp"
#include "device/backend.hpp"
#include "device/host.hpp"
#include "domain/internals.hpp"
#include "partition/halo.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <complex>
#include <list>
#include <memory>
#include <optional>
#include <span>

#include "support/accumulated.hpp"
#include "support/own_arrays.hpp"
#include "support/rounded.hpp"
#include "support/seeded.hpp"
#include "support/staged_array.hpp"

namespace halocline::test {
namespace {

/// The direction in which a cell of a halo lies; nothing for an owned cell.
std::optional<Direction> side_of(const Box& owned, const Vec3& p) {
  int d[3];
  for (int dim = 0; dim < 3; ++dim) d[dim] = p[dim] < owned.lo[dim] ? -1 : (p[dim] >= owned.hi[dim] ? 1 : 0);
  if (d[0] == 0 && d[1] == 0 && d[2] == 0) return std::nullopt;
  return Direction::of(d[0], d[1], d[2]);
}

/// The domain cell whose value halo cell p must have; nothing if no exchange may write p.
std::optional<Vec3> source_of(const partition::Geometry& geometry, field_id field, Direction side, Vec3 p) {
  if (!geometry.halo_of(field).has(side)) return std::nullopt;
  for (int dim = 0; dim < 3; ++dim) {
    const auto d = static_cast<std::size_t>(dim);
    std::int64_t extent = geometry.partition.extent()[dim];
    if (geometry.boundaries[d] != Boundary::open) {
      p[dim] = ((p[dim] % extent) + extent) % extent;
    } else {
      if (geometry.fields[field.index()].staggered[d]) ++extent;
      if (p[dim] < 0 || p[dim] >= extent) return std::nullopt;
    }
  }
  return p;
}

/// Whether a transfer fills a halo cell.
bool brings(const Transfer& transfer, const Box& owned, Direction side, const Vec3& p) {
  std::int64_t away = 0;
  for (int dim = 0; dim < 3; ++dim) away = std::max({away, owned.lo[dim] - p[dim], p[dim] - owned.hi[dim] + 1});
  return away <= transfer.depth && transfer.directions.test(static_cast<std::size_t>(side.opposite().index()));
}

/// The transfers of a step; the same on all ranks.
std::vector<Transfer> transfers_of(const HaloCase& halo_case, int step) {
  std::vector<Transfer> transfers;
  Seeded seeded(halo_case.parts_seed + static_cast<std::uint64_t>(step));
  const std::size_t fields = halo_case.subsets && step % 2 == 1 ? 1 : halo_case.fields.size();
  for (std::size_t f = 0; f < fields; ++f) {
    Transfer& transfer = transfers.emplace_back(Transfer{.field = field_id(static_cast<std::int64_t>(f))});
    if (halo_case.parts_seed == 0) continue;
    if (seeded.chance(70)) transfer.directions = Directions(seeded.next());
    if (seeded.chance(10)) transfer.directions.reset();
    if (!halo_case.backwards(step) && seeded.chance(70)) transfer.depth = seeded.between(1, 3);
  }
  return transfers;
}

template <typename T>
void fill(const View<T>& view, const FieldDescriptor& field, field_id id, int step) {
  const T blank = sentinel<T>(step);
  for_each_cell(view.with_halo(), [&](const Vec3& p) {
    for (int c = 0; c < field.components; ++c) {
      view(p, c) = view.owned().contains(p) ? value_in<T>(field, id, c, p, step) : blank;
    }
  });
}

template <typename T>
void compare(const partition::Geometry& geometry, subdomain_id subdomain, const View<T>& view, field_id id, int step,
             const std::optional<Transfer>& moved, Findings& findings) {
  const FieldDescriptor& field = geometry.fields[id.index()];
  const T blank = sentinel<T>(step);
  std::int64_t cells = 0;
  for_each_cell(view.with_halo(), [&](const Vec3& p) {
    const auto side = side_of(view.owned(), p);
    const auto source =
        side && moved && brings(*moved, view.owned(), *side, p) ? source_of(geometry, id, *side, p) : std::nullopt;
    for (int c = 0; c < field.components; ++c) {
      ++cells;
      const bool sent = source && arrives(field, c, *side);
      const T expected = !side  ? value_in<T>(field, id, c, p, step)
                         : sent ? as_sent(field, value_in<T>(field, id, c, *source, step))
                                : blank;
      if (view(p, c) == expected) continue;
      const char* what = !side ? "owned cell changed" : sent ? "halo cell wrong" : "cell that is not exchanged written";
      findings.add(fmt::format("step {}: {} at ({}, {}, {}) of component {} of field '{}' of subdomain {}", step, what,
                               p.x, p.y, p.z, c, field.name, subdomain.value()));
    }
  });
  findings.compared(cells);
}

class RandomDelays final : public device::Injector {
 public:
  explicit RandomDelays(std::uint64_t seed) : seed_(seed) {}
  device::Injection before(device::Operation operation, int device) override {
    Seeded seeded(seed_ + 7919 * counter_.fetch_add(1) + static_cast<std::uint64_t>(operation) * 31 +
                  static_cast<std::uint64_t>(device));
    device::Injection injection;
    if (seeded.chance(5)) injection.delay = std::chrono::microseconds(seeded.between(10, 400));
    return injection;
  }

 private:
  std::uint64_t seed_;
  std::atomic<std::uint64_t> counter_ = 0;
};

}  // namespace

std::shared_ptr<device::Injector> random_delays(std::uint64_t seed) { return std::make_shared<RandomDelays>(seed); }

namespace {

std::shared_ptr<device::Backend> host_backend(comm::RankGroup& comm, const HaloCase& halo_case) {
  device::HostOptions host;
  host.devices = halo_case.devices_per_rank;
  if (halo_case.uneven_devices) host.devices += static_cast<int>(comm.rank().value() % 2);
  host.ranks_on_node = comm.size();
  host.clock = &comm.clock();
  host.graphs = halo_case.graphs;
  host.sector_bytes = halo_case.sector_bytes;
  if (halo_case.delay_seed != 0) {
    host.injector = random_delays(halo_case.delay_seed + static_cast<std::uint64_t>(comm.rank().value()));
  }
  return device::make_host_backend(host);
}

}  // namespace

DomainOptions options_of(comm::RankGroup& comm, const HaloCase& halo_case) {
  DomainOptions options;
  options.boundaries = halo_case.boundaries;
  options.internal = std::make_shared<InternalOptions>(InternalOptions{
      .launch_threads = halo_case.launch_threads, .virtual_rack = halo_case.virtual_rack, .host_packets = true});
  options.devices.existing.emplace(halo_case.make_backend ? halo_case.make_backend(comm)
                                                          : host_backend(comm, halo_case));
  options.machine.ranks_per_node = halo_case.ranks_per_node;
  options.routing.policy = halo_case.policy;
  options.tuning = halo_case.tuning;
  options.routing.messages = halo_case.messages;
  options.routing.net_engine = halo_case.net_engine;
  options.partition.method = halo_case.partition;
  options.partition.node_grid = halo_case.node_grid;
  options.partition.device_grid = halo_case.device_grid;
  options.machine.map = halo_case.map;
  options.placement.method = halo_case.place;
  options.timeout = std::chrono::seconds(60);
  return options;
}

namespace {

/// Copies of one array before and after one step; compared at the end.
struct Recorded {
  StagedArray before;
  StagedArray after;
  subdomain_id subdomain;
  field_id field;
  int step;
  std::optional<Transfer> moved;
};

}  // namespace

namespace {

std::unique_ptr<Domain> make_domain(comm::RankGroup& comm, const HaloCase& halo_case) {
  DomainOptions options = options_of(comm, halo_case);
  if (halo_case.boxes.empty()) {
    return std::make_unique<Domain>(halo_case.extent, halo_case.radius, comm, std::move(options));
  }
  OwnedBoxes mine{halo_case.boxes[comm.rank().index()]};
  return std::make_unique<Domain>(std::move(mine), halo_case.radius, comm, std::move(options));
}

void compare_boxes(const Domain& domain, std::span<const Box> expected, Findings& findings) {
  if (std::ranges::equal(domain.subdomains(), expected, {}, &Subdomain::owned)) return;
  findings.add("subdomains are not the rank's boxes, in order");
}

/// Alternates between the calls of the API.
void start_and_finish(Domain& domain, const std::vector<Transfer>& transfers, const HaloCase& halo_case, int step) {
  const bool all = transfers.size() == halo_case.fields.size();
  if (halo_case.backwards(step)) {
    if (all && halo_case.parts_seed == 0) domain.accumulate(*halo_case.accumulates);
    else domain.accumulate(transfers, *halo_case.accumulates);
    return;
  }
  if (all && step % 2 == 0) {
    // These may run in the subdomains' streams.
    if (halo_case.parts_seed != 0) domain.exchange(transfers);
    else domain.exchange();
    return;
  }
  auto exchange = domain.start_exchange(transfers);
  exchange.finish();
}

}  // namespace

HaloOutcome run_case(comm::RankGroup& comm, const HaloCase& halo_case) {
  const std::unique_ptr<Domain> made = make_domain(comm, halo_case);
  Domain& domain = *made;
  for (const auto& field : halo_case.fields) domain.add_field(field);
  domain.on_open_boundary({});

  // User arrays outlive the domain's use of them; a list keeps their addresses stable.
  std::list<OwnArray> own;
  if (halo_case.own_arrays) {
    const auto mine = internals(domain).plan().placement.of_rank(comm.rank());
    for (std::size_t f = 0; f < halo_case.fields.size(); ++f) {
      const field_id id(static_cast<std::int64_t>(f));
      for (const subdomain_id s : mine) {
        // All buffers of a field have one shape, so all use one seed.
        for (int set = 0; set < halo_case.fields[f].buffers; ++set) {
          Seeded seeded(f * 131 + s.index());
          OwnArray& array = own.emplace_back(domain, id, s, seeded);
          domain.use_array(id, s, set, array.origin, array.stride, array.component_stride);
        }
      }
    }
  }
  domain.realize();

  std::list<Recorded> records;
  for (int step = 0; step < halo_case.steps; ++step) {
    const std::vector<Transfer> transfers = transfers_of(halo_case, step);
    std::vector<Recorded*> now;
    for (const Subdomain& subdomain : domain.subdomains()) {
      for (std::size_t f = 0; f < halo_case.fields.size(); ++f) {
        const field_id id(static_cast<std::int64_t>(f));
        const auto moved = f < transfers.size() ? std::optional(transfers[f]) : std::nullopt;
        now.push_back(&records.emplace_back(Recorded{
            StagedArray(domain, subdomain, id), StagedArray(domain, subdomain, id), subdomain.id(), id, step, moved}));
        const Recorded& record = *now.back();
        with_type(halo_case.fields[f].element, [&](auto sample) {
          const auto view = record.before.view<decltype(sample)>();
          if (halo_case.backwards(step)) fill_all(view, halo_case.fields[f], {subdomain.id(), id, step});
          else fill(view, halo_case.fields[f], id, step);
        });
        record.before.upload();
      }
    }
    start_and_finish(domain, transfers, halo_case, step);
    for (const Recorded* record : now) record->after.download();
    for (std::size_t f = 0; f < halo_case.fields.size(); ++f) {
      if (halo_case.fields[f].buffers > 1) domain.swap(field_id(static_cast<std::int64_t>(f)));
    }
  }
  domain.synchronize();
  Findings findings;
  for (const Recorded& record : records) {
    with_type(halo_case.fields[record.field.index()].element, [&](auto sample) {
      const auto view = record.after.view<decltype(sample)>();
      const auto& geometry = internals(domain).geometry();
      if (halo_case.backwards(record.step)) {
        compare_accumulated(geometry, view, {record.subdomain, record.field, record.step}, record.moved,
                            *halo_case.accumulates, findings);
      } else {
        compare(geometry, record.subdomain, view, record.field, record.step, record.moved, findings);
      }
    });
  }
  if (!halo_case.boxes.empty()) compare_boxes(domain, halo_case.boxes[comm.rank().index()], findings);
  HaloOutcome outcome{findings.text(), findings.cells(), {}};
  for (const auto transport : routing::all_transports) {
    const auto row = internals(domain).traffic(transport);
    if (row.messages > 0) outcome.traffic.push_back(row);
  }
  for (const OwnArray& array : own) {
    if (!array.gaps_intact()) outcome.wrong += " bytes between the user's cells were written";
  }
  records.clear();
  domain.close();
  return outcome;
}

}  // namespace halocline::test
