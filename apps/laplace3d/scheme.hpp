// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "comm/rank_group.hpp"
#include "device/backend.hpp"
#include "halocline/domain.hpp"
#include "laplace3d/kernels.hpp"
#include "laplace3d/slabs.hpp"

/// Ways to move the sides of slabs to their neighbours while inner points are computed, after Sourouri, Gillberg, Baden and
/// Cai, "Effective Multi-GPU Communication Using Multiple CUDA Streams and Threads" (ICPADS 2014).
namespace laplace3d {

enum class SchemeKind : int {
  baseline,     ///< one thread drives all devices; no overlap; through the host
  left_right,   ///< a thread and two streams a device; all send up, then all down; through the host
  pairwise,     ///< the same, by pairs of devices: even ones with the next above, then with the next below
  threads,      ///< a thread for the inner points and one a neighbour, five streams, one phase; through the host
  threads_p2p,  ///< the same with copies from device to device, which the driver stages where there is no peer access
  left_right_mpi,  ///< left_right with a process a device, which sends messages from and to pinned memory
  pairwise_mpi,    ///< pairwise in the same way
  halocline,       ///< Domain's own exchange, by the routes that it takes
};
inline constexpr std::array all_schemes{SchemeKind::baseline,     SchemeKind::left_right,  SchemeKind::pairwise,
                                        SchemeKind::threads,      SchemeKind::threads_p2p, SchemeKind::left_right_mpi,
                                        SchemeKind::pairwise_mpi, SchemeKind::halocline};
/// "baseline", "left-right", "pairwise", "threads", "threads+p2p", "left-right+mpi", "pairwise+mpi", "halocline"
[[nodiscard]] std::string_view to_string(SchemeKind kind);

/// Which processes drive the devices of a scheme.
enum class Processes : int { one, one_a_device, any };
[[nodiscard]] Processes processes_of(SchemeKind kind);
/// The schemes that a job of so many ranks compares: those with a process a device only if there are several.
[[nodiscard]] std::vector<SchemeKind> schemes_for(int ranks);
/// Throws InvalidArgument that lists the names.
[[nodiscard]] SchemeKind scheme_of(std::string_view name);

/// In what order `halocline` exchanges and updates.
enum class OwnOrder : int {
  exchange_first,
  sides_last,    ///< sides after the inner points, which are updated during the exchange
  sides_beside,  ///< sides concurrently with the inner points, as soon as halos are complete
};
inline constexpr std::array all_own_orders{OwnOrder::exchange_first, OwnOrder::sides_last, OwnOrder::sides_beside};
struct OwnWay {
  OwnOrder order = OwnOrder::sides_last;
  bool recorded = false;  ///< replays steps, where no route needs the host
};

/// What a scheme works on. All of it outlives the scheme.
template <typename T>
struct Setting {
  halocline::Domain* domain = nullptr;
  halocline::Field<T> field;
  Kernels<T>* kernels = nullptr;
  /// Makes the schemes' own streams, events and buffers; the domain's devices.
  halocline::device::Backend* backend = nullptr;
  halocline::Duration timeout = std::chrono::seconds(120);
  /// Of `halocline`; unset: what prepare() finds to be the fastest.
  std::optional<OwnWay> own = std::nullopt;
  /// Of the domain's ranks, for the scheme's messages alone; null for schemes without a process a device.
  halocline::comm::RankGroup* messages = nullptr;
};

/// Does steps on a domain whose current buffer and its halos hold a state; the other buffer holds the fixed cells. A cycle is
/// as many steps as an exchange serves (the number of steps per exchange).
class Scheme {
 public:
  virtual ~Scheme() = default;
  /// To be called once before the first run where time counts: finds out which way is the fastest, by steps on whatever
  /// state there is. Collective, except for schemes of one process.
  virtual void prepare() {}
  /// Does `cycles` cycles, and returns when the work is done. The current buffer then contains the last state; the
  /// contents of its halos are unspecified. A scheme may run again on any state. After an error it is unusable.
  /// Collective, except for schemes of one process.
  virtual void run(std::int64_t cycles) = 0;
  /// What the scheme chose to do, as text for the user; may be empty.
  [[nodiscard]] virtual std::string detail() const { return {}; }
};

/// Throws InvalidArgument where a scheme needs all devices in one process and the domain has several ranks, or one device in each
/// process and this rank has several.
template <typename T>
[[nodiscard]] std::unique_ptr<Scheme> make_scheme(SchemeKind kind, const Setting<T>& setting);

}  // namespace laplace3d
