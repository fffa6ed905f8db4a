// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "device/tracer.hpp"
#include "exchange/detail/abort_word.hpp"
#include "exchange/detail/connections.hpp"
#include "exchange/detail/exchange_record.hpp"
#include "exchange/detail/fusion.hpp"
#include "exchange/detail/node_bundles.hpp"
#include "exchange/detail/order_check.hpp"
#include "exchange/detail/schedule.hpp"
#include "exchange/detail/under_way.hpp"
#include "exchange/exchange.hpp"
#include "exchange/nccl/communicators.hpp"
#include "exchange/net/network.hpp"
#include "exchange/transport/factory.hpp"
#include "routing/messages.hpp"

namespace halocline::exchange {

/// Set-up, steps and shutdown.
class Exchange::Impl final : public HostDriven {
 public:
  explicit Impl(Setup setup);
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() { leave(); }

  /// Collective. After an error, everything made so far is destroyed, or else stopped and leaked.
  void set_up();
  /// Where what set_up() threw is handled. Collective unless the groups are poisoned, which they are after a deadline. Returns false if
  /// other ranks may still use the memory.
  [[nodiscard]] bool undo() noexcept;
  void start(std::span<device::Stream* const> streams, const Selection& selection, Overlap overlap);
  /// Of this exchange and, as long as it is not complete, of the others that this thread has under way.
  bool progress();
  bool proceed() override;
  [[nodiscard]] bool under_way() const { return running_ != nullptr; }
  void finish(const std::function<void()>& arrived);
  [[nodiscard]] Directions filled(std::size_t place) const { return states_.at(place)->filled; }
  [[nodiscard]] Directions filled_by_device(std::size_t place) const { return states_.at(place)->filled_by_device; }
  [[nodiscard]] Directions awaited(std::size_t place) const;
  void join(std::size_t place, const Directions& sides, device::Stream& stream) const;
  void swapped(std::span<device::Stream* const> streams, field_id field);
  void expect(std::span<device::Stream* const> streams, const Selection& selection, std::string_view what);
  void check(std::span<device::Stream* const> streams);
  void check_others(std::string_view what);
  [[nodiscard]] std::exception_ptr failure() const { return failure_; }
  void forget_captured() { running_ = nullptr; }  // no message of a captured exchange needs the host
  void close(std::span<device::Stream* const> streams);
  [[nodiscard]] bool closed() const { return closed_; }
  /// Makes this rank's part of all exchanges end, and drops its streams.
  void stop(std::string_view why) noexcept;
  /// Runs a step; if it throws, the exchange has failed, and the node's ranks are notified before the error is passed on.
  template <typename Step>
  void guarded(Step&& step);
  [[nodiscard]] const Verdict& capturable() const { return capturable_; }
  [[nodiscard]] bool joins_devices() const;
  [[nodiscard]] std::vector<Traffic> traffic() const;
  [[nodiscard]] std::vector<TracedMessage> messages() const;
  /// A Disagreement as a ProtocolError that also names what the other side exchanges; other errors as they are.
  [[nodiscard]] std::exception_ptr with_difference(std::exception_ptr error) const noexcept;
  /// What has made an operation fail, where that is known; otherwise with_difference().
  [[nodiscard]] std::exception_ptr cause_of(std::exception_ptr error) const noexcept;
  void time_arrivals(bool on) { timing_ = on; }
  [[nodiscard]] std::vector<Arrival> arrivals() const;

 private:
  void make_states(std::vector<LocalSubdomain> subdomains);
  void check_settings() const;
  void make_channels(const std::vector<routing::Route>& routes);
  void make_channel(const routing::MessageKey& key, partition::Message message, const routing::Route& route,
                    int number);
  void make_node_bundles();
  void make_all_ends();
  void add_ends(const Channel& channel, Ends made);
  void make_drivers();
  void connect();
  const ExchangePlan& plan_for(const Selection& selection);
  void check_selection(std::span<const Selection::Item> items) const;
  void check_streams(std::span<device::Stream* const> streams) const;
  void check_streams_of_ends();
  void check_running();
  void each_stream(const VisitStream& visit);
  /// Collective: unmaps other ranks' memory and then frees its own, when no rank uses them any more.
  void let_go();
  [[nodiscard]] device::Stream& stream_of(subdomain_id subdomain) const;
  /// This thread's exchanges under way have this one among them from now on. A thread may finish what another has started.
  void join_others();
  void leave() noexcept;
  [[nodiscard]] std::string late() const;
  [[nodiscard]] std::string given_up(std::string_view why) const;
  [[nodiscard]] std::size_t not_done() const;
  /// Whether messages by net move only while the host waits.
  [[nodiscard]] bool moves_network() const { return network_ && !network_->threaded().yes; }
  /// Whether all of this rank's routes can be part of a captured graph; otherwise names the first that cannot.
  [[nodiscard]] Verdict may_capture() const;
  /// Of this exchange, or where these are on several nodes, of this node: RankGroup::missing().
  [[nodiscard]] std::string missing_ranks() const;
  /// Whether what missing_ranks() returned is an error that another rank has sent meanwhile.
  [[nodiscard]] bool has_error_of_another(const std::string& missing) const;
  /// A DeadlineError that also names the ranks that do not wait, too; other errors as they are.
  [[nodiscard]] std::exception_ptr with_missing(std::exception_ptr error) const noexcept;
  /// Keeps the first failure, notifies the node and poisons the groups.
  void fail(std::exception_ptr error) noexcept;

  Setup setup_;
  rank_id me_;
  Context context_;
  std::unique_ptr<Mappings> mappings_;
  std::shared_ptr<AbortWord> abort_;  ///< of all exchanges in turn: where one fails, the waits of all end
  std::shared_ptr<device::Registration> abort_registration_;
  std::unique_ptr<net::Network> network_;               ///< null unless a message may go by net
  std::unique_ptr<nccl::Communicators> communicators_;  ///< null unless a message may go by nccl
  std::vector<SubdomainState*> states_;                 // in Setup's order
  std::vector<std::unique_ptr<Channel>> channels_;
  std::map<routing::BundleKey, std::vector<const Channel*>> bundled_;  ///< those of channels_ that share messages
  std::unique_ptr<NodeBundles> node_bundles_;                          ///< null unless messages are by_node
  std::vector<End> ends_;
  std::unique_ptr<Schedule> schedule_;
  std::vector<std::unique_ptr<Fusion>> fusions_;  ///< by device
  std::unique_ptr<OrderCheck> order_check_;       ///< null if the order is not checked
  std::unique_ptr<ExchangeRecord> record_;        ///< null without a recorder, and as long as memory is not connected
  Verdict capturable_;
  std::vector<ExchangePlan> plans_;
  std::uint64_t salt_ = 0;                 ///< of tokens, which differ from other exchanges' in the same streams
  std::vector<device::Stream*> streams_;   ///< the users', of the exchange under way
  const ExchangePlan* running_ = nullptr;  ///< between start() and finish()
  std::shared_ptr<UnderWay> under_way_;    ///< a thread's, with this one among them; null if none
  std::uint64_t step_ = 0;
  bool timing_ = false;                ///< of arrivals
  std::optional<Duration> finishing_;  ///< when finish() was called, if arrivals are timed
  std::exception_ptr failure_;
  bool of_another_ = false;  ///< another rank has sent the error that ends this exchange
  bool closed_ = false;
};

template <typename Step>
void Exchange::Impl::guarded(Step&& step) {
  if (failure_) std::rethrow_exception(failure_);
  try {
    step();
  } catch (...) {
    fail(std::current_exception());
    std::rethrow_exception(failure_);
  }
}

}  // namespace halocline::exchange
