// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "device/backend.hpp"
#include "device/memory_account.hpp"
#include "device/tracer.hpp"
#include "exchange/exchange.hpp"
#include "halocline/domain.hpp"
#include "io/tuning_cache.hpp"
#include "partition/halo.hpp"
#include "plan/message_ranking.hpp"
#include "plan/plan.hpp"

namespace halocline {

/// Options for the tools, applications and tests of this tree, but not for users.
struct InternalOptions {
  /// A thread for each of this rank's devices enqueues its work, exchanges included, so that one rank can keep several devices
  /// busy; see device/launch_threads.hpp for the requirements on kernels. Ranks may differ in it.
  bool launch_threads = false;
  /// Makes a tracer for exchanges (DomainInternals::tracer), which records nothing before it is started. Excludes launch_threads. Ranks
  /// may differ in it.
  bool trace = false;
  /// As HALOCLINE_VIRTUAL_RACK=1 does.
  bool virtual_rack = false;
  /// Host devices go the way of small messages between GPUs (docs/decisions/0036), for tests of it. All ranks alike.
  bool host_packets = false;
};
inline void set_launch_threads(DomainOptions& options, bool on) {
  options.internal = std::make_shared<InternalOptions>(InternalOptions{.launch_threads = on});
}

/// The parts of a domain that the tools, applications and tests of this tree can access, but not users. Refers to the
/// domain.
class DomainInternals {
 public:
  explicit DomainInternals(const Domain& domain) : domain_(&domain) {}
  [[nodiscard]] static DomainInternals of(const Subdomain& subdomain);

  /// Makes the plan if there is none; collective in that case.
  [[nodiscard]] const Plan& plan() const;
  /// Throw as functions of the domain do: unless it is realized, and unless no exchange is under way either.
  void check_realized(std::string_view call) const;
  void check_idle(std::string_view call) const;
  /// After plan().
  [[nodiscard]] const partition::Geometry& geometry() const;
  [[nodiscard]] device::Backend& backend() const;
  [[nodiscard]] comm::RankGroup& comm() const;
  /// Of what the backend has allocated for the domain; empty after close().
  [[nodiscard]] const device::MemoryAccount& memory() const;
  /// This rank's routes, after realize().
  [[nodiscard]] const std::vector<RoutedMessage>& routes() const;
  /// Collective: the routes of all ranks, by sender then receiver.
  [[nodiscard]] std::vector<RoutedMessage> gather_routes() const;
  /// What Domain::tune() has chosen, with all that was tried; null without it.
  [[nodiscard]] const io::TunedEntry* tuned() const;
  [[nodiscard]] const std::string& tuned_text() const;  ///< the same as a line; empty without it
  /// After realize(): how messages are consolidated if that was left to the model, with the predictions; otherwise null.
  [[nodiscard]] const MessageRanking* message_ranking() const;
  [[nodiscard]] exchange::Traffic traffic(routing::Transport transport) const;
  /// The same for Domain::accumulate, after its first call.
  [[nodiscard]] exchange::Traffic returned_traffic(routing::Transport transport) const;
  /// With InternalOptions::trace, after realize(): what records operations of exchanges, and what the messages in its records are;
  /// otherwise null.
  [[nodiscard]] device::Tracer* tracer() const;
  [[nodiscard]] std::vector<exchange::TracedMessage> traced_messages() const;
  [[nodiscard]] int current_buffer(field_id field) const;
  /// A field's current array of a local subdomain, or the one that is current after `ahead` swaps. After realize().
  [[nodiscard]] const exchange::Array& array(const Subdomain& subdomain, field_id field, int ahead = 0) const;
  /// How often the domain was rebalanced, which moves cells to other subdomains.
  [[nodiscard]] std::int64_t rebalanced() const;

 private:
  const Domain* domain_;
};

[[nodiscard]] inline DomainInternals internals(const Domain& domain) { return DomainInternals(domain); }
/// The internals of a subdomain's domain.
[[nodiscard]] DomainInternals internals(const Subdomain& subdomain);

/// A subdomain's stream, as exchanges use it.
[[nodiscard]] inline device::Stream& stream_of(const Subdomain& subdomain) {
  return device::stream_of(subdomain.stream());
}

}  // namespace halocline
