#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "exchange/abort_word.hpp"
#include "exchange/connections.hpp"
#include "exchange/fusion.hpp"
#include "exchange/messages.hpp"
#include "exchange/order_check.hpp"
#include "exchange/schedule.hpp"
#include "exchange/transport/factory.hpp"
#include "halocline/exchange/exchange.hpp"

namespace halocline::exchange {

/// Set-up, steps and shutdown.
class Exchange::Impl {
 public:
  explicit Impl(Setup setup);
  ~Impl();

  void start(std::span<device::Stream* const> streams, const Selection& selection, Overlap overlap);
  bool progress();
  [[nodiscard]] bool under_way() const { return running_ != nullptr; }
  void finish(const std::function<void()>& arrived);
  [[nodiscard]] Directions filled(std::size_t place) const { return sites_.at(place)->filled; }
  [[nodiscard]] Directions filled_by_device(std::size_t place) const { return sites_.at(place)->filled_by_device; }
  [[nodiscard]] Directions awaited(std::size_t place) const;
  void join(std::size_t place, const Directions& sides, device::Stream& stream) const;
  [[nodiscard]] std::optional<Outlet> outlet(std::size_t place, field_id field, int set, Direction direction) const;
  void swapped(std::span<device::Stream* const> streams, field_id field);
  void check();
  void close();
  [[nodiscard]] device::Access capturable() const;
  [[nodiscard]] bool joins_devices() const;
  [[nodiscard]] std::vector<Traffic> traffic() const;

 private:
  void abandon();
  void make_sites(std::vector<LocalSubdomain> subdomains);
  void check_settings() const;
  void make_channels(const std::vector<routing::Route>& routes);
  void make_channel(const MessageKey& key, partition::Message message, routing::Transport transport, int number);
  void make_drivers();
  void connect();
  const Program& program_for(const Selection& selection);
  void check_selection(const Selection& selection) const;
  void check_streams(std::span<device::Stream* const> streams) const;
  void check_streams_of_ends();
  [[nodiscard]] device::Stream& stream_of(subdomain_id subdomain) const;
  [[nodiscard]] std::string late() const;
  [[nodiscard]] std::size_t not_done() const;
  /// Runs a step; where it throws, the exchange is poisoned and the node is told before the error goes on.
  template <typename Step>
  void guarded(Step&& step);
  void fail(const std::exception& error);

  Setup setup_;
  rank_id me_;
  Context context_;
  std::unique_ptr<Mappings> mappings_;
  std::unique_ptr<AbortWord> abort_;
  std::unique_ptr<device::Registration> abort_registration_;
  std::vector<Site*> sites_;  // in Setup's order
  std::vector<std::unique_ptr<Channel>> channels_;
  std::vector<End> ends_;
  std::unique_ptr<Schedule> schedule_;
  std::vector<std::unique_ptr<Fusion>> fusions_;  ///< by device
  std::unique_ptr<OrderCheck> order_check_;       ///< null where nothing is checked
  std::vector<Program> programs_;
  std::vector<device::Stream*> streams_;
  const Program* running_ = nullptr;  ///< between start() and finish()
  std::uint64_t step_ = 0;
  std::exception_ptr failure_;
  bool closed_ = false;
};

template <typename Step>
void Exchange::Impl::guarded(Step&& step) {
  if (failure_) std::rethrow_exception(failure_);
  try {
    step();
  } catch (const std::exception& error) {
    fail(error);
    throw;
  }
}

}  // namespace halocline::exchange
