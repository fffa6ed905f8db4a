// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "laplace3d/case.hpp"

namespace laplace3d {

/// Schemes on cubes or other boxes and numbers of devices, all timed in one run: schemes take turns, round after round. Of several
/// ranks, rank 0 runs the schemes of one process on the devices of all of them, in arrays of its own, while the others wait.
struct Comparison {
  std::vector<halocline::Vec3> sizes;           ///< inner points
  std::vector<std::optional<int>> devices{{}};  ///< of each rank; unset: as DomainOptions say
  std::vector<SchemeKind> schemes;
  Stencil stencil = Stencil::points7;
  Coefficients coefficients;
  std::int64_t steps = 100;
  int rounds = 5;
  std::optional<OwnWay> own;  ///< as in Setting
  bool check = false;         ///< compare each with the serial solution, after a few steps of their own
  /// Of one more round of SchemeKind::halocline, behind all that is timed; nothing if unset.
  std::optional<Watch> watch = std::nullopt;
  halocline::DomainOptions options;
};

/// A scheme on a case.
struct Row {
  halocline::Vec3 size;
  std::int64_t devices = 0;
  int processes = 1;  ///< that drive them
  SchemeKind scheme = SchemeKind::halocline;
  std::string detail;
  std::vector<double> step_s;  ///< seconds a step, by round
  double gflops = 0;           ///< 1e9 operations a second, by the median round
  std::optional<apps::Check> check;
};

/// How many times as fast a row is as another one: as the fastest scheme on one device, or as left-right on as many. Unset
/// where there is none of that size.
[[nodiscard]] std::optional<double> over_one_device(const Row& row, const std::vector<Row>& rows);
[[nodiscard]] std::optional<double> over_left_right(const Row& row, const std::vector<Row>& rows);
/// As left-right+mpi on as many devices.
[[nodiscard]] std::optional<double> over_left_right_mpi(const Row& row, const std::vector<Row>& rows);

/// Collective. done is called on all ranks after each size and number of devices, with the rows so far. Throws
/// InvalidArgument as Case does, and where schemes of one process are asked for and ranks are on several nodes.
template <typename T>
[[nodiscard]] std::vector<Row> compare(halocline::comm::RankGroup& comm, const Comparison& what,
                                       const std::function<void(const std::vector<Row>&)>& done = {});

}  // namespace laplace3d
