// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "common/boundaries.hpp"
#include "common/check.hpp"
#include "common/traced_kernels.hpp"
#include "device/backend.hpp"
#include "halocline/domain.hpp"
#include "jacobi3d/kernels.hpp"
#include "jacobi3d/problem.hpp"
#include "jacobi3d/row.hpp"
#include "jacobi3d/stopwatch.hpp"

/// Jacobi's iteration for heat on a periodic domain: each step a cell becomes the average of itself and its
/// six neighbours; a hot and a cold sphere are held fixed. The first paper's kind of workload: little
/// arithmetic, all halo.
namespace jacobi3d {

/// How a step comes by the halos that it reads. All give the same cells, bit for bit.
enum class Halos : int {
  exchanged,   ///< an exchange, then all cells
  overlapped,  ///< the interior while they are under way, then the rest
  /// An exchange, and all cells by a kernel that starts with it and awaits it before the first cells that read halos: on GPUs, in fp32,
  /// where x and y are not cut; otherwise as exchanged. Not with a number of steps per exchange above 1.
  awaited,
};
[[nodiscard]] std::string_view to_string(Halos halos);

struct Settings {
  std::int64_t steps = 200;  ///< 1 or more
  /// Of a run in parts, each by a call of its own: the steps done before this part, 0 or more, and all steps of the run, at least
  /// first + steps. Residuals are then taken after the same steps as in a run by one call. Unset: this part is the last one.
  std::int64_t first = 0;
  std::optional<std::int64_t> last;
  /// Unset: the first steps of a run that has many try all ways, and the fastest goes on; a short run overlaps, and so does one whose
  /// first part is too short to try them.
  std::optional<Halos> halos;
  /// Steps between residuals, counted from the first of the whole run; 0: only after its last step.
  std::int64_t residual_every = 0;
  double tolerance = 0;  ///< stop once Residual::max is below it; 0: never
  /// Record the fewest steps that are whole cycles of the two buffers and of the steps that an exchange serves, and
  /// replay them as one launch.
  bool graph = false;
};

/// Where the time went.
///
/// compute and exchange are read off marks in each subdomain's stream, by the device's clock, so they are what the
/// stream saw: compute is the time between the start and end of its kernels (waiting for a free core or for the launch
/// included), exchange the time between kernels in which it had nothing to do but to wait for halos. With overlap,
/// what the interior's update hides is not counted. Both are means over all subdomains, and together at most total. Of runs
/// of many steps one exchange in 7 is marked, with the steps that it serves, and stands for the others. Steps that are replayed
/// have no marks, and those that are not are no measure of them: then there are no parts; nor where kernels await halos. total is the slowest rank's time for
/// all steps by the host's steady clock, residuals included.
struct Timings {
  struct Parts {
    halocline::Duration exchange{};
    halocline::Duration compute{};
  };
  halocline::Duration total{};
  std::optional<Parts> parts;
};

struct Progress {
  std::int64_t step = 0;
  std::int64_t steps = 0;
  std::optional<Residual> residual;  ///< the latest
};

struct Result {
  std::int64_t steps = 0;            ///< that were done
  bool converged = false;            ///< the residual fell below the tolerance
  Halos halos = Halos::overlapped;   ///< as set, or found to be the fastest
  std::optional<Residual> residual;  ///< the latest; none if the run goes on after this part, which has none
  Timings timings;
  double updates_per_second = 0;  ///< cells of the domain x steps / Timings::total
};

/// The radius that a domain for it must have: 1 on faces, edges and corners off.
[[nodiscard]] halocline::Stencil stencil();

/// What suits it best.
inline constexpr halocline::Boundaries boundaries = apps::x_periodic_in_kernel;

/// Solves on a domain whose field has two buffers, on whatever devices it has. All dimensions are periodic; x may be
/// wrapped. The domain must be realized, and outlive the solver. Halos are exchanged once in steps_per_exchange steps, counted from the start
/// of a run; that changes no bit of the owned cells. What halos hold after a run is left open. T is float or double.
/// All methods are collective, and so is the constructor.
template <typename T>
class Solver {
 public:
  Solver(halocline::Domain& domain, halocline::Field<T> field);

  /// Sets the current buffer to the initial state.
  void initialise();
  /// Goes on from the current buffer. progress is called on every rank, every few steps.
  Result run(const Settings& settings, const std::function<void(const Progress&)>& progress = {});
  /// The current values of the owned cells of a box of the domain, x fastest: on rank 0; elsewhere nothing.
  [[nodiscard]] std::vector<T> gather(const halocline::Box& box);

 private:
  void step(int since_exchange, Halos halos, std::span<Stopwatch> stopwatches);
  void exchange_and_update(Halos halos, std::span<Stopwatch> stopwatches);
  void update_all(int since_exchange, Halos halos);
  [[nodiscard]] Residual residual();
  /// Means over all subdomains, none where no step has marks. timed: how many of the steps have them. Collective.
  [[nodiscard]] std::optional<Timings::Parts> parts_of(std::span<Stopwatch> stopwatches, std::int64_t steps,
                                                       std::int64_t timed, halocline::Duration total);

  halocline::Domain& domain_;
  halocline::Field<T> field_;
  Problem problem_;
  std::unique_ptr<Kernels<T>> kernels_;
  apps::TracedKernels traced_;
  std::vector<std::unique_ptr<halocline::device::Buffer>> differences_;  ///< pinned, one a subdomain
};

/// The ways that there are on a domain.
[[nodiscard]] std::vector<Halos> ways_of(halocline::Domain& domain);

/// A number of steps per exchange and how long a step took with it.
struct Trial {
  int steps_per_exchange = 1;
  halocline::Duration step{};
};
/// Measures a step with 1, 2 and 4 steps per exchange, where the halos fit, each in a few steps on a temporary domain. Collective.
/// Times are the slowest rank's, the same on all ranks; the fastest comes first.
template <typename T>
[[nodiscard]] std::vector<Trial> try_steps_per_exchanges(const halocline::Vec3& extent,
                                                         halocline::comm::RankGroup& comm,
                                                         const halocline::DomainOptions& options,
                                                         const Settings& settings);

/// The same problem without Halocline: one array, one thread, a test of each cell. The same additions in the
/// same order, so its values equal Solver's bit for bit. x fastest.
template <typename T>
[[nodiscard]] std::vector<T> solve_serially(const halocline::Vec3& extent, std::int64_t steps);

using apps::Check;

/// Collective: gathers the solution after `steps` steps on rank 0, which needs memory for three copies of
/// the domain, and compares it with solve_serially. The same answer on all ranks; others wait for rank 0
/// however long it takes.
template <typename T>
[[nodiscard]] Check check(halocline::Domain& domain, Solver<T>& solver, std::int64_t steps);

}  // namespace jacobi3d
