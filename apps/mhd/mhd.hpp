// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "common/boundaries.hpp"
#include "common/traced_kernels.hpp"
#include "device/backend.hpp"
#include "mhd/kernels.hpp"
#include "mhd/problem.hpp"

/// Compressible, resistive, conducting magnetohydrodynamics in a periodic box, as Astaroth and the Pencil Code solve it
/// (Pekkilä et al., Appendix B): central differences of order 2 to 8, Williamson's third-order Runge-Kutta, eight fields.
namespace mhd {

struct Settings {
  std::int64_t steps = 100;            ///< that are timed; 1 or more
  std::int64_t warm_up = 0;            ///< steps before them
  std::optional<double> dt;            ///< unset: from the limits below
  double cfl = 0.4;                    ///< see Solver::time_step
  std::int64_t cfl_every = 10;         ///< steps between two looks at it, counted from the solution's first step
  std::int64_t diagnostics_every = 0;  ///< steps between diagnostics; 0: only at the end
  /// Update the interior while halos are under way, or all cells after them. Unset: a run of 20 steps or more tries both
  /// first, and goes on with the faster; a shorter one overlaps. All give the same bits.
  std::optional<bool> overlap;
  bool graph = false;  ///< record two steps, and replay them as one launch; needs dt, and no forcing
};

/// Where a solution is: with the current buffers, all that a run continues from.
struct Position {
  std::int64_t step = 0;
  double time = 0;
  double dt = 0;  ///< of the last step
};

/// Steps after which a run stops, with its work enqueued, for example to write files.
struct Stops {
  std::function<std::int64_t(std::int64_t step)>
      next;  ///< the first stop after a step; the last step of the run if there is none
  std::function<void(const Position&)> at;
};

/// Of one quantity over all cells of the domain.
struct Reduced {
  double min = 0;
  double max = 0;
  double mean = 0;
  double rms = 0;
};

/// The same bits for any number of devices and ranks of one kind.
struct Diagnostics {
  std::int64_t step = 0;
  double time = 0;
  std::array<Reduced, quantity_count> of;
};

/// Steps of one length, one after the other.
struct Stretch {
  std::int64_t steps = 0;
  double dt = 0;
};

struct Result {
  std::int64_t steps = 0;          ///< the warm-up included
  double time = 0;                 ///< simulated
  double dt = 0;                   ///< the last one
  std::vector<Stretch> stretches;  ///< of this run, the warm-up included
  bool overlapped = true;          ///< as set, or found to be the faster
  /// Of each timed step (a mean of several where these are replayed together, or where an exchange serves more than a step), by
  /// the devices' clocks: from where the last subdomain ended the step before to where the last one ended this one. Together
  /// at most total_seconds.
  std::vector<double> step_seconds;
  double median_step_seconds = 0;
  double total_seconds =
      0;  ///< of the timed steps, on the slowest rank by the host's clock, diagnostics and stops included
  std::vector<Diagnostics> diagnostics;
};

/// Seconds of a step's parts, each alone: medians, the slowest rank's.
struct Parts {
  double compute = 0;   ///< three updates of all cells, those beyond the owned ones included, no exchange
  double exchange = 0;  ///< a step's exchanges, no update
  /// Three times a wait for all devices and ranks, with nothing to wait for: what a scheme would add that synchronises after each
  /// substep. A step of this solver does not.
  double synchronisation = 0;
};

/// What suits it best.
inline constexpr halocline::Boundaries boundaries = apps::x_periodic_in_kernel;

/// When the cells around an interior are updated, where a substep overlaps.
enum class BoundaryOrder : int {
  after_all,  ///< once all halos are there
  as_ready,   ///< each part as soon as what it reads has arrived, concurrently with the interior
};

/// Whether an exchange can serve so many substeps: 1, 2, or whole steps, multiples of 3.
[[nodiscard]] bool can_serve(int substeps);

/// Solves on a domain of stencil() or more with the fields of add_fields(). The domain is realised, and outlives the solver. T is
/// float or double. All methods are collective, and so is the constructor. A substep is a step of the domain: its
/// steps_per_exchange is the number of substeps that an exchange serves, one of can_serve(). Owned cells have the same bits with
/// all of them; fields with a wire format need an exchange at each step's beginning (1 or 3).
template <typename T>
class Solver {
 public:
  Solver(halocline::Domain& domain, const State<T>& state, const Parameters& parameters, int order,
         const ForcingSettings& forcing = {});

  /// Sets the current buffers; time and step are 0 again. Several threads call values at the same time.
  void initialise(const InitialValues& values);
  /// The current buffers hold the solution at this position.
  void continue_from(const Position& position);
  /// One step; see Substep.
  void step(double dt, bool overlap = true);
  /// Goes on from the current buffers: where it stopped before changes no bit. progress is called on every rank, every few steps.
  /// Throws InvalidArgument for settings that do not go together, and where diagnostics find a value that is not finite.
  Result run(const Settings& settings, const std::function<void(std::int64_t step, std::int64_t steps)>& progress = {},
             const Stops& stops = {});
  /// Exchanges halos, and reduces.
  [[nodiscard]] Diagnostics diagnostics();
  /// The longest step that is allowed: cfl times the time that the fastest wave takes through a cell, or cfl / 4 times
  /// that of diffusion, whichever is less.
  [[nodiscard]] double time_step(double cfl);
  /// Changes the fields: to be called last.
  [[nodiscard]] Parts time_parts(int repeats);
  /// Ways of updating; the fastest of them in a few trials becomes the one in use. Seconds of an update of all cells by each,
  /// the slowest rank's; does not change the current fields.
  struct Trial {
    std::string variant;
    double seconds = 0;
  };
  std::vector<Trial> try_variants(int repeats);
  /// Whether it is faster to overlap than not, in a few substeps; the same on all ranks. Does not change the current fields.
  [[nodiscard]] bool try_overlap(int repeats);
  /// By its name. Throws InvalidArgument for one that there is not.
  void choose_variant(const std::string& name);
  /// Gives the same bits either way.
  void choose_boundary_order(BoundaryOrder boundary_order) { boundary_order_ = boundary_order; }
  /// A field's current values, or those in a box of the domain, x fastest: on rank 0; elsewhere nothing.
  [[nodiscard]] std::vector<T> gather(int field);
  [[nodiscard]] std::vector<T> gather(int field, const halocline::Box& box);
  [[nodiscard]] double time() const { return position_.time; }

 private:
  void substep(const Substep<T>& substep, bool overlap);
  void exchange_and_update(const Substep<T>& substep, bool overlap);
  void update_all(const Substep<T>& substep, int since_exchange);
  void update(apps::Work work, const halocline::Subdomain& subdomain, std::span<const halocline::Box> boxes,
              const Substep<T>& substep);
  void finish_and_update_boundary(halocline::ExchangeHandle& exchange, const Substep<T>& substep);
  void swap();
  void kick(double dt);
  [[nodiscard]] double slowest_of(int repeats, const std::function<void()>& work);
  void check(const Settings& settings) const;

  halocline::Domain& domain_;
  State<T> state_;
  Parameters parameters_;
  std::optional<Forcing> forcing_;
  std::unique_ptr<Kernels<T>> kernels_;
  apps::TracedKernels traced_;
  BoundaryOrder boundary_order_ = BoundaryOrder::as_ready;
  struct Slots {
    std::unique_ptr<halocline::device::Buffer> extremes;
    std::unique_ptr<halocline::device::Buffer> sums;
  };
  std::vector<Slots> results_;  ///< pinned, one a subdomain
  Position position_;
  int since_exchange_ = 0;  ///< substeps; 0: the next one begins with an exchange
};

}  // namespace mhd
