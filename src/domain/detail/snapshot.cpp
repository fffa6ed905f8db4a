// SPDX-License-Identifier: BSD-3-Clause
#include "domain/detail/snapshot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <utility>

#include "core/leak.hpp"
#include "core/log.hpp"
#include "domain/internals.hpp"
#include "halocline/error.hpp"

namespace halocline {

std::vector<field_id> Snapshot::fields_of(const Domain& domain, const std::vector<field_id>& asked,
                                          std::string_view call) {
  internals(domain).check_realized(call);
  const auto& fields = internals(domain).geometry().fields;
  std::vector<field_id> all;
  for (std::size_t f = 0; f < fields.size(); ++f) all.emplace_back(static_cast<std::int64_t>(f));
  if (asked.empty()) return all;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (std::ranges::find(all, asked[i]) == all.end()) {
      throw InvalidArgument(
          fmt::format("{}: field is {}; allowed are 0 to {}", call, asked[i].value(), std::ssize(all) - 1));
    }
    if (std::ranges::count(asked, asked[i]) == 1) continue;
    throw InvalidArgument(
        fmt::format("{}: field '{}' is listed twice; allowed is once", call, fields[asked[i].index()].name));
  }
  return asked;
}

namespace {

constexpr Box everywhere{Vec3::filled(0), Vec3::filled(std::numeric_limits<std::int64_t>::max())};

}  // namespace

Snapshot::Snapshot(const Domain& domain, std::vector<Item> items) : Snapshot(domain, std::move(items), everywhere) {}

Box cells_with_open_ends(const partition::Geometry& geometry, field_id field, subdomain_id subdomain) {
  Box box = geometry.owned(field, subdomain);
  const Box all = geometry.domain_box(field);
  const Box halo = geometry.with_halo(field, subdomain);
  for (int dim = 0; dim < 3; ++dim) {
    if (geometry.boundaries[static_cast<std::size_t>(dim)] != Boundary::open) continue;
    if (box.lo[dim] == all.lo[dim]) box.lo[dim] = halo.lo[dim];
    if (box.hi[dim] == all.hi[dim]) box.hi[dim] = halo.hi[dim];
  }
  return box;
}

Snapshot::Snapshot(const Domain& domain, std::vector<Item> items, const Box& within)
    : Snapshot(domain, std::move(items), [&within](field_id field, const Subdomain& subdomain) {
        return subdomain.bytes(field).owned().intersection(within);
      }) {}

std::unique_ptr<Snapshot> Snapshot::with_open_ends(const Domain& domain, std::vector<Item> items) {
  const auto& geometry = internals(domain).geometry();
  const BoxOf box_of = [&geometry](field_id field, const Subdomain& subdomain) {
    return cells_with_open_ends(geometry, field, subdomain.id());
  };
  return std::unique_ptr<Snapshot>(new Snapshot(domain, std::move(items), box_of));
}

std::unique_ptr<Snapshot> Snapshot::with_halos(const Domain& domain, std::vector<Item> items) {
  const BoxOf box_of = [](field_id field, const Subdomain& subdomain) { return subdomain.with_halo(field); };
  return std::unique_ptr<Snapshot>(new Snapshot(domain, std::move(items), box_of));
}

Snapshot::Snapshot(const Domain& domain, std::vector<Item> items, const BoxOf& box_of)
    : domain_(&domain),
      backend_(&internals(domain).backend()),
      items_(std::move(items)),
      rebalanced_(internals(domain).rebalanced()) {
  const auto subdomains = domain.subdomains();
  for (std::size_t item = 0; item < items_.size(); ++item) {
    for (std::size_t position = 0; position < subdomains.size(); ++position) {
      const Subdomain& subdomain = subdomains[position];
      const auto& field = subdomain.descriptor(items_[item].field);
      Part part{item, position, box_of(items_[item].field, subdomain), bytes_of(field.element), field.components};
      const std::int64_t bytes = std::max<std::int64_t>(part.component_bytes() * part.components, 1);
      part.memory = backend_->allocate_pinned(static_cast<std::size_t>(bytes));
      parts_.push_back(std::move(part));
    }
  }
  for (const Subdomain& subdomain : subdomains) copied_.push_back(backend_->create_event(subdomain.device()));
}

Snapshot::~Snapshot() {
  try {
    wait();
  } catch (const std::exception& error) {
    log(LogLevel::warning, fmt::format("copies of cells to the host failed: {}", error.what()));
  }
}

void Snapshot::download(std::string_view call) {
  wait();
  copy(CopyTo::host, call);
}

void Snapshot::upload(std::string_view call) {
  copy(CopyTo::device, call);
  wait();
}

bool Snapshot::done() const {
  return std::ranges::all_of(copied_, [](const auto& event) { return event->query(); });
}

void Snapshot::wait() {
  if (!std::exchange(under_way_, false)) return;
  backend_->wait_until([this] { return done(); }, Deadline());
}

void Snapshot::check_usable(std::string_view call) const {
  if (rebalanced_ != internals(*domain_).rebalanced()) {
    throw InvalidArgument(fmt::format("{} after rebalance(); allowed is one that is made after it", call));
  }
  for (const Subdomain& subdomain : domain_->subdomains()) {
    if (!stream_of(subdomain).capturing()) continue;
    throw InvalidArgument(fmt::format("{} within the steps of capture(); allowed is after it", call));
  }
}

void Snapshot::copy(CopyTo to, std::string_view call) {
  check_usable(call);
  const auto subdomains = domain_->subdomains();
  try {
    for (const Part& part : parts_) {
      const auto& [field, ahead] = items_[part.item];
      enqueue_host_copy(subdomains[part.position], field, ahead, part.box, part.bytes().data(), to);
    }
    for (std::size_t i = 0; i < subdomains.size(); ++i) subdomains[i].stream().record(*copied_[i]);
    under_way_ = true;
  } catch (...) {
    end_copies();
    throw;
  }
}

void Snapshot::end_copies() noexcept {
  try {
    for (const Subdomain& subdomain : domain_->subdomains()) stream_of(subdomain).synchronize();
  } catch (...) {  // they may still be under way: nothing else gets the memory
    for (Part& part : parts_) leak(std::move(part.memory));
  }
}

}  // namespace halocline
