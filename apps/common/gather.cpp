// SPDX-License-Identifier: BSD-3-Clause
#include "common/gather.hpp"
#include "domain/internals.hpp"

#include <cstring>
#include <memory>

#include "comm/agree.hpp"
#include "comm/requests.hpp"
#include "halocline/host_array.hpp"

namespace apps {
namespace {

constexpr int gather_tag = 101;

/// Calls f(row's first cell, cells in it) for the rows of a box, in memory order.
template <typename F>
void for_each_row(const halocline::Box& box, F&& f) {
  if (box.empty()) return;
  for (std::int64_t z = box.lo.z; z < box.hi.z; ++z) {
    for (std::int64_t y = box.lo.y; y < box.hi.y; ++y) f(halocline::Vec3{box.lo.x, y, z}, box.hi.x - box.lo.x);
  }
}

}  // namespace

/// A rank sends its part of the box, subdomain by subdomain in the order of Placement::of_rank; rank 0 knows
/// all boxes from the geometry, so nothing but values travels, and rank after rank, so that it holds one
/// message at a time.
template <typename T>
std::vector<T> gather(halocline::Domain& domain, halocline::Field<T> field, const halocline::Box& box) {
  domain.synchronize();
  halocline::comm::RankGroup& comm = domain.plan().comm;
  const auto& partition = internals(domain).geometry().partition;
  const auto& placement = internals(domain).plan().placement;

  std::vector<T> mine;
  for (const auto& subdomain : domain.subdomains()) {
    const halocline::Box part = subdomain.owned().intersection(box);
    if (part.empty()) continue;
    const auto cells = halocline::to_host(subdomain, field, part);
    const T* first = cells.view().data();
    mine.insert(mine.end(), first, first + part.volume());
  }

  const bool root = comm.rank().value() == 0;
  std::vector<T> all(root ? static_cast<std::size_t>(box.volume()) : 0);
  const auto put = [&](const std::vector<T>& part, halocline::rank_id rank) {
    const T* next = part.data();
    for (const auto id : placement.of_rank(rank)) {
      for_each_row(partition.box_of(id).intersection(box), [&](const halocline::Vec3& first, std::int64_t n) {
        const halocline::Vec3 at = first - box.lo;
        const halocline::Vec3 size = box.extent();
        std::memcpy(&all[static_cast<std::size_t>((at.z * size.y + at.y) * size.x + at.x)], next,
                    static_cast<std::size_t>(n) * sizeof(T));
        next += n;
      });
    }
  };
  const auto finish = [&comm](halocline::comm::Request& request) {
    halocline::comm::wait_until([&request] { return request.test(); },
                                halocline::Deadline(comm.clock(), comm.timeout()), "gathering a field");
  };

  if (!root) {
    if (!mine.empty()) {
      const auto request = comm.send(std::as_bytes(std::span<const T>(mine)), halocline::rank_id(0), gather_tag);
      finish(*request);
    }
    return all;
  }
  put(mine, halocline::rank_id(0));
  for (int rank = 1; rank < comm.size(); ++rank) {
    std::int64_t cells = 0;
    for (const auto id : placement.of_rank(halocline::rank_id(rank))) {
      cells += partition.box_of(id).intersection(box).volume();
    }
    if (cells == 0) continue;
    std::vector<T> part(static_cast<std::size_t>(cells));
    const auto request = comm.receive(std::as_writable_bytes(std::span<T>(part)), halocline::rank_id(rank), gather_tag);
    finish(*request);
    put(part, halocline::rank_id(rank));
  }
  return all;
}

template std::vector<float> gather(halocline::Domain&, halocline::Field<float>, const halocline::Box&);
template std::vector<double> gather(halocline::Domain&, halocline::Field<double>, const halocline::Box&);

}  // namespace apps
