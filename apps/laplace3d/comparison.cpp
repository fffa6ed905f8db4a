// SPDX-License-Identifier: BSD-3-Clause
#include "laplace3d/comparison.hpp"

#include <algorithm>

#include "core/median.hpp"

namespace laplace3d {
namespace {

/// As many as show a mistake in two launches of recorded steps and some more: whole cycles.
constexpr std::int64_t checked_steps = 19;

template <typename T>
std::vector<Row> compare_on(halocline::comm::RankGroup& comm, const Comparison& what, const halocline::Vec3& size,
                            const halocline::DomainOptions& options) {
  const Problem problem{size, what.stencil, what.coefficients};
  Case<T> on(comm, problem, options, what.own);
  const std::int64_t served = options.steps_per_exchange;
  std::vector<Row> rows;
  for (const SchemeKind scheme : what.schemes) {
    on.prepare(scheme);
    Row row{size, on.devices(), scheme, on.detail(scheme), {}, 0, {}};
    if (what.check) {
      const std::int64_t steps = (checked_steps + served - 1) / served * served;
      static_cast<void>(on.time(scheme, steps));
      row.check = on.check(steps);
    }
    static_cast<void>(on.time(scheme, (what.steps / 10 + served - 1) / served * served + served));  // warm-up
    rows.push_back(std::move(row));
  }
  for (int round = 0; round < what.rounds; ++round) {
    for (Row& row : rows) {
      row.step_s.push_back(on.time(row.scheme, what.steps) / static_cast<double>(what.steps));
    }
  }
  on.close();
  for (Row& row : rows) {
    row.gflops = static_cast<double>(size.volume() * flops_of(what.stencil)) / halocline::median(row.step_s) * 1e-9;
  }
  return rows;
}

}  // namespace

std::optional<double> over_one_device(const Row& row, const std::vector<Row>& rows) {
  double best = 0;
  for (const Row& other : rows) {
    if (other.size == row.size && other.devices == 1) best = std::max(best, other.gflops);
  }
  return best > 0 ? std::optional(row.gflops / best) : std::nullopt;
}

std::optional<double> over_left_right(const Row& row, const std::vector<Row>& rows) {
  for (const Row& other : rows) {
    if (other.size == row.size && other.devices == row.devices && other.scheme == SchemeKind::left_right) {
      return row.gflops / other.gflops;
    }
  }
  return std::nullopt;
}

template <typename T>
std::vector<Row> compare(halocline::comm::RankGroup& comm, const Comparison& what,
                         const std::function<void(const std::vector<Row>&)>& done) {
  check_steps(what.steps, what.options.steps_per_exchange);
  std::vector<Row> rows;
  for (const halocline::Vec3& size : what.sizes) {
    for (const std::optional<int>& devices : what.devices) {
      halocline::DomainOptions options = what.options;
      if (devices) options.devices.per_rank = devices;
      const auto more = compare_on<T>(comm, what, size, options);
      rows.insert(rows.end(), more.begin(), more.end());
      if (done) done(rows);
    }
  }
  return rows;
}

template std::vector<Row> compare<float>(halocline::comm::RankGroup&, const Comparison&,
                                         const std::function<void(const std::vector<Row>&)>&);
template std::vector<Row> compare<double>(halocline::comm::RankGroup&, const Comparison&,
                                          const std::function<void(const std::vector<Row>&)>&);

}  // namespace laplace3d
