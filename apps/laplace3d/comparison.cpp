// SPDX-License-Identifier: BSD-3-Clause
#include "laplace3d/comparison.hpp"

#include <fmt/core.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "comm/agree.hpp"
#include "comm/patience.hpp"
#include "core/log.hpp"
#include "core/median.hpp"
#include "domain/internals.hpp"
#include "halocline/error.hpp"

namespace laplace3d {
namespace {

using halocline::comm::RankGroup;
using halocline::comm::Reduction;

/// As many as show a mistake in two launches of recorded steps and some more: whole cycles.
constexpr std::int64_t checked_steps = 19;

/// The cases of a comparison: one of all ranks and, where they are several and a scheme wants all devices in one process, another one of
/// rank 0. All methods are collective over the ranks.
template <typename T>
class Cases {
 public:
  Cases(RankGroup& comm, const Comparison& what, const Problem& problem, const halocline::DomainOptions& options)
      : comm_(comm) {
    const auto of_one = std::ranges::find(what.schemes, Processes::one, processes_of);
    has_own_ = comm.size() > 1 && of_one != what.schemes.end();
    if (has_own_) check_one_node(options, *of_one);
    shared_.emplace(comm, problem, options, what.own);
    if (!has_own_) return;
    warn_of_few_cores();
    alone_ = comm.split(comm.rank().value() == 0 ? 0 : 1, 0);
    on_root([&] { own_.emplace(*alone_, problem, of_one_process(options), what.own); });
  }

  void prepare(SchemeKind kind) {
    if (!is_roots(kind)) return shared_->prepare(kind);
    on_root([&] { own_->prepare(kind); });
  }
  double time(SchemeKind kind, std::int64_t steps) {
    if (!is_roots(kind)) return shared_->time(kind, steps);
    double seconds = 0;
    on_root([&] { seconds = own_->time(kind, steps); });
    return comm_.all_reduce(seconds, Reduction::max);
  }
  void watch(std::int64_t steps, const Watch& watch) { shared_->watch(SchemeKind::halocline, steps, watch); }
  apps::Check check(SchemeKind kind, std::int64_t steps) {
    if (!is_roots(kind)) return shared_->check(steps);
    apps::Check check;
    on_root([&] { check = own_->check(steps); });
    check.cells = comm_.all_reduce(check.cells, Reduction::max);
    check.different = comm_.all_reduce(check.different, Reduction::max);
    check.largest_difference = comm_.all_reduce(check.largest_difference, Reduction::max);
    return check;
  }
  /// Of rank 0.
  [[nodiscard]] std::string detail(SchemeKind kind) const {
    if (!is_roots(kind)) return shared_->detail(kind);
    return own_ ? own_->detail(kind) : std::string();
  }
  [[nodiscard]] std::int64_t devices() const { return shared_->devices(); }
  [[nodiscard]] int processes(SchemeKind kind) const { return is_roots(kind) ? 1 : comm_.size(); }
  void close() {
    if (own_) own_->close();
    own_.reset();
    if (alone_) alone_->close();
    shared_->close();
  }

 private:
  [[nodiscard]] bool is_roots(SchemeKind kind) const { return has_own_ && processes_of(kind) == Processes::one; }

  /// work() on rank 0, for which the others wait however long it takes; they throw what it throws.
  template <typename Work>
  void on_root(Work&& work) {
    const halocline::comm::Patience patience(comm_);
    halocline::comm::agree_on(comm_, [&] {
      if (comm_.rank().value() == 0) work();
    });
  }

  void check_one_node(const halocline::DomainOptions& options, SchemeKind kind) {
    const auto node = comm_.split_by_node(options.machine.ranks_per_node);
    const std::int64_t nodes = comm_.all_reduce(std::int64_t{node->rank().value() == 0 ? 1 : 0}, Reduction::sum);
    node->close();
    if (nodes == 1) return;
    throw halocline::InvalidArgument(
        fmt::format("scheme '{}' needs all devices in one process, and the {} ranks are on {} nodes; allowed are ranks "
                    "of one node, or the schemes 'left-right+mpi', 'pairwise+mpi' and 'halocline'",
                    to_string(kind), comm_.size(), nodes));
  }

  /// Launchers bind a rank to a core or a package, but the schemes of one process have up to three threads a device.
  void warn_of_few_cores() {
    cpu_set_t cores;
    if (comm_.rank().value() != 0 || sched_getaffinity(0, sizeof(cores), &cores) != 0) return;
    const std::int64_t allowed = CPU_COUNT(&cores);
    const std::int64_t threads = 3 * shared_->devices();
    const std::int64_t all = sysconf(_SC_NPROCESSORS_ONLN);
    if (allowed >= std::min(all, threads)) return;
    halocline::log(
        halocline::LogLevel::warning,
        fmt::format("rank 0 is bound to {} of {} cores, and runs the schemes of one process with up to {} threads; "
                    "start the ranks without binding (Open MPI: --bind-to none)",
                    allowed, all, threads));
  }

  [[nodiscard]] halocline::DomainOptions of_one_process(halocline::DomainOptions options) {
    options.devices.kind = internals(shared_->domain()).backend().kind();
    options.devices.existing.reset();
    options.devices.per_rank = static_cast<int>(shared_->devices());
    return options;
  }

  RankGroup& comm_;
  std::optional<Case<T>> shared_;
  bool has_own_ = false;
  std::unique_ptr<RankGroup> alone_;  ///< rank 0's; the other ranks' has no use
  std::optional<Case<T>> own_;        ///< on rank 0
};

template <typename T>
std::vector<Row> compare_on(RankGroup& comm, const Comparison& what, const halocline::Vec3& size,
                            const halocline::DomainOptions& options) {
  Cases<T> on(comm, what, Problem{size, what.stencil, what.coefficients}, options);
  const std::int64_t served = options.steps_per_exchange;
  std::vector<Row> rows;
  for (const SchemeKind scheme : what.schemes) {
    try {
      on.prepare(scheme);
    } catch (const halocline::InvalidArgument&) {
      on.close();  // all ranks throw the same
      throw;
    }
    Row row{size, on.devices(), on.processes(scheme), scheme, on.detail(scheme), {}, 0, {}};
    if (what.check) {
      const std::int64_t steps = (checked_steps + served - 1) / served * served;
      static_cast<void>(on.time(scheme, steps));
      row.check = on.check(scheme, steps);
    }
    static_cast<void>(on.time(scheme, (what.steps / 10 + served - 1) / served * served + served));  // warm-up
    rows.push_back(std::move(row));
  }
  for (int round = 0; round < what.rounds; ++round) {
    for (Row& row : rows) {
      row.step_s.push_back(on.time(row.scheme, what.steps) / static_cast<double>(what.steps));
    }
  }
  if (what.watch) on.watch(what.steps, *what.watch);
  on.close();
  for (Row& row : rows) {
    row.gflops = static_cast<double>(size.volume() * flops_of(what.stencil)) / halocline::median(row.step_s) * 1e-9;
  }
  return rows;
}

std::optional<double> over_scheme(SchemeKind scheme, const Row& row, const std::vector<Row>& rows) {
  for (const Row& other : rows) {
    if (other.size == row.size && other.devices == row.devices && other.scheme == scheme) {
      return row.gflops / other.gflops;
    }
  }
  return std::nullopt;
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
  return over_scheme(SchemeKind::left_right, row, rows);
}

std::optional<double> over_left_right_mpi(const Row& row, const std::vector<Row>& rows) {
  return over_scheme(SchemeKind::left_right_mpi, row, rows);
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
