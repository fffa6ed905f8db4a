// SPDX-License-Identifier: BSD-3-Clause
#include "domain/detail/reductions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "core/leak.hpp"

namespace halocline {
namespace {

/// Devices that all send each other their numbers in one round: as many as share a node on most machines.
constexpr std::int64_t gathered_at_once = 8;
/// A round's numbers, or a result: on a cache line of its own.
constexpr std::size_t line_bytes = 64;
static_assert(gathered_at_once * sizeof(double) <= line_bytes);

/// A domain of one cell for each subdomain, and a field for each reduction.
partition::Geometry geometry_of(const partition::Geometry& cells, std::span<const Reductions::Item> items,
                                const partition::Gather& gather) {
  std::vector<FieldDescriptor> fields;
  for (const Reductions::Item& item : items) {
    fields.push_back({.name = Reductions::name_of(item, cells.fields[item.field.index()]), .element = Element::f64});
  }
  const Vec3 grid{gather.subdomains, 1, 1};
  std::array<std::vector<std::int64_t>, 3> cuts{{{}, {0, 1}, {0, 1}}};
  cuts[0].resize(static_cast<std::size_t>(gather.subdomains) + 1);
  std::iota(cuts[0].begin(), cuts[0].end(), 0);
  partition::Geometry geometry({grid, grid, {1, 1, 1}, std::move(cuts), partition::Order::row_major}, std::move(fields),
                               Stencil());
  geometry.gather = gather;
  return geometry;
}

}  // namespace

std::string Reductions::name_of(const Item& item, const FieldDescriptor& field) {
  return fmt::format("{} of '{}'", to_string(item.what), field.name);
}

Reductions::Reductions(const partition::Geometry& cells, device::Backend& backend,
                       std::vector<exchange::LocalSubdomain> subdomains, std::vector<Item> items)
    : cells_(&cells),
      backend_(&backend),
      subdomains_(std::move(subdomains)),
      items_(std::move(items)),
      on_host_(backend.allocate_pinned(sizeof(double))),
      has_run_(items_.size(), false) {
  for (const partition::Gather& gather : partition::Gather::rounds(cells.partition.size(), gathered_at_once)) {
    rounds_.push_back({.geometry = geometry_of(cells, items_, gather)});
  }
  for (const exchange::LocalSubdomain& subdomain : subdomains_) {
    memory_.push_back(backend.allocate_shareable(subdomain.device, items_.size() * (rounds_.size() + 1) * line_bytes));
  }
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const reduction_id reduction(static_cast<std::int64_t>(i));
    for (std::size_t place = 0; place < subdomains_.size(); ++place) {
      for (int buffer = 0; buffer < cells.fields[items_[i].field.index()].buffers; ++buffer) {
        check(of_cells(place, reduction, buffer));
      }
    }
  }
  for (std::size_t round = 0; round < rounds_.size(); ++round) {
    for (std::size_t place = 0; place < subdomains_.size(); ++place) {
      const exchange::LocalSubdomain& of = subdomains_[place];
      exchange::LocalSubdomain& local = rounds_[round].subdomains.emplace_back(
          exchange::LocalSubdomain{of.id, of.device, {}, {}, memory_[place].get()});
      for (std::size_t i = 0; i < items_.size(); ++i) {
        double* own = target(place, reduction_id(static_cast<std::int64_t>(i)), round);
        local.arrays.push_back(
            {{.origin = reinterpret_cast<std::byte*>(own), .stride_bytes = {sizeof(double), line_bytes, line_bytes}}});
      }
    }
  }
}

void Reductions::use(std::size_t round, std::unique_ptr<comm::RankGroup> comm,
                     std::unique_ptr<exchange::Exchange> exchange, const std::vector<RoutedMessage>& routed) {
  rounds_[round].comm = std::move(comm);
  rounds_[round].exchange = std::move(exchange);
  std::set<std::string_view> transports;
  for (const RoutedMessage& message : routed) transports.insert(routing::to_string(message.route.transport));
  for (const std::string_view transport : transports) {
    rounds_[round].transports += fmt::format("{}{}", rounds_[round].transports.empty() ? "" : ", ", transport);
  }
}

/// The numbers that meet in a round, by place in the group; behind the last round the result.
double* Reductions::numbers(std::size_t place, reduction_id reduction, std::size_t round) const {
  const std::size_t line = reduction.index() * (rounds_.size() + 1) + round;
  return reinterpret_cast<double*>(memory_[place]->data() + line * line_bytes);
}

/// Where a subdomain's own number for a round belongs.
double* Reductions::target(std::size_t place, reduction_id reduction, std::size_t round) const {
  double* const all = numbers(place, reduction, round);
  return round == rounds_.size() ? all : all + rounds_[round].geometry.gather->place_of(subdomains_[place].id);
}

const double* Reductions::result(std::size_t place, reduction_id reduction) const {
  return numbers(place, reduction, rounds_.size());
}

device::StridedReduction Reductions::of_cells(std::size_t place, reduction_id reduction, int buffer) const {
  const Item& item = items_[reduction.index()];
  const FieldDescriptor& field = cells_->fields[item.field.index()];
  const exchange::LocalSubdomain& subdomain = subdomains_[place];
  const exchange::Array& array = subdomain.arrays[item.field.index()][static_cast<std::size_t>(buffer)];
  device::StridedReduction all{.what = item.what,
                               .target = target(place, reduction, 0),
                               .boxes = {},
                               .stride = array.stride_bytes,
                               .extent = cells_->owned(item.field, subdomain.id).extent(),
                               .element = field.element};
  for (int component = 0; component < field.components; ++component) {
    all.boxes.push_back(array.origin + component * array.component_stride_bytes);
  }
  return all;
}

device::StridedReduction Reductions::of_round(std::size_t place, reduction_id reduction, std::size_t round) const {
  return {.what = device::combining(items_[reduction.index()].what),
          .target = target(place, reduction, round + 1),
          .boxes = {reinterpret_cast<const std::byte*>(numbers(place, reduction, round))},
          .stride = {sizeof(double), line_bytes, line_bytes},
          .extent = {rounds_[round].geometry.gather->places_of(subdomains_[place].id), 1, 1},
          .element = Element::f64};
}

const Reductions::Work& Reductions::work_of(const std::vector<reduction_id>& which, std::span<const int> buffers) {
  for (const auto& known : works_) {
    if (known->which == which && std::ranges::equal(known->buffers, buffers)) return *known;
  }
  auto made = std::make_unique<Work>(Work{which, {buffers.begin(), buffers.end()}, {}, {}});
  for (const reduction_id one : which) made->selection.items.push_back({.field = field_id(one.value())});
  for (std::size_t round = 0; round <= rounds_.size(); ++round) {
    auto& lists = made->lists.emplace_back();
    for (std::size_t place = 0; place < subdomains_.size(); ++place) {
      std::vector<device::StridedReduction> all;
      for (std::size_t i = 0; i < which.size(); ++i) {
        all.push_back(round == 0 ? of_cells(place, which[i], buffers[i]) : of_round(place, which[i], round - 1));
      }
      lists.push_back(backend_->prepare_reductions(subdomains_[place].device, all));
    }
  }
  works_.push_back(std::move(made));
  return *works_.back();
}

void Reductions::run(std::span<device::Stream* const> streams, const std::vector<reduction_id>& which,
                     std::span<const int> buffers, exchange::Exchange& cells) {
  const Work* work = nullptr;
  const auto enqueue = [&](std::size_t round) {
    for (std::size_t place = 0; place < streams.size(); ++place) {
      streams[place]->reduce(*work->lists[round][place]);
    }
  };
  cells.guard([&] {
    work = &work_of(which, buffers);
    enqueue(0);
  });
  for (std::size_t round = 0; round < rounds_.size(); ++round) {
    exchange::Exchange& exchange = *rounds_[round].exchange;
    exchange.start(streams, work->selection, exchange::Overlap::none);
    exchange.finish();
    exchange.guard([&] { enqueue(round + 1); });
  }
  for (const reduction_id one : which) has_run_[one.index()] = true;
}

const double* Reductions::fetch(reduction_id reduction, device::Stream& stream) {
  stream.copy(on_host_->data(), reinterpret_cast<const std::byte*>(result(0, reduction)), sizeof(double));
  return reinterpret_cast<const double*>(on_host_->data());
}

Verdict Reductions::capturable() const {
  for (const Round& round : rounds_) {
    if (auto can = round.exchange->capturable(); !can.yes) return can;
  }
  return Verdict::of(true);
}

bool Reductions::joins_devices() const {
  return std::ranges::any_of(rounds_, [](const Round& round) { return round.exchange->joins_devices(); });
}

void Reductions::forget_captured() {
  for (Round& round : rounds_) round.exchange->forget_captured();
}

std::exception_ptr Reductions::explained(std::exception_ptr error) const {
  for (const Round& round : rounds_) error = round.exchange->explained(std::move(error));
  return error;
}

std::exception_ptr Reductions::failure() const {
  for (const Round& round : rounds_) {
    if (!round.exchange) continue;
    if (auto failure = round.exchange->failure()) return failure;
  }
  return nullptr;
}

std::string Reductions::text() const {
  std::string text;
  for (const Item& item : items_) {
    text +=
        fmt::format("{}{}", text.empty() ? "reductions: " : ", ", name_of(item, cells_->fields[item.field.index()]));
  }
  for (std::size_t round = 0; round < rounds_.size(); ++round) {
    text += fmt::format("; round {} by {}", round + 1, rounds_[round].transports);
  }
  return text + "\n";
}

void Reductions::close(std::span<device::Stream* const> streams) {
  for (Round& round : rounds_) {
    round.exchange->close(streams);
    round.exchange.reset();
    round.comm->close();
    round.comm.reset();
  }
}

void Reductions::abandon(std::string_view why) noexcept {
  for (Round& round : rounds_) {
    if (round.exchange) round.exchange->abandon(why);
    round.exchange.reset();
    leak(std::move(round.comm));
  }
  for (auto& memory : memory_) leak(std::move(memory));
  memory_.clear();
  for (auto& work : works_) leak(std::move(work));
  works_.clear();
  leak(std::move(on_host_));
}

}  // namespace halocline
