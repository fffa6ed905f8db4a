// SPDX-License-Identifier: BSD-3-Clause
// The steps of an exchange.
#include "exchange/exchange.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "comm/agree.hpp"
#include "core/clock.hpp"
#include "core/leak.hpp"
#include "exchange/detail/exchange_impl.hpp"

namespace halocline::exchange {

void Exchange::Impl::check_selection(std::span<const Selection::Item> items) const {
  field_id last{-1};
  for (const Selection::Item& item : items) {
    const auto fields = static_cast<std::int64_t>(setup_.geometry->fields.size());
    if (item.field.value() < 0 || item.field.value() >= fields) {
      throw InvalidArgument(fmt::format("field is {}; allowed are 0 to {}", item.field.value(), fields - 1));
    }
    if (item.field == last) {
      throw InvalidArgument(fmt::format("field '{}' is given twice; allowed is each field once",
                                        setup_.geometry->fields[item.field.index()].name));
    }
    if (item.field < last) throw InternalError("the fields of a selection are not in order");
    const int buffers = setup_.geometry->fields[item.field.index()].buffers;
    if (item.buffer < 0 || item.buffer >= buffers) {
      throw InvalidArgument(fmt::format("buffer of field '{}' is {}; allowed are 0 to {}",
                                        setup_.geometry->fields[item.field.index()].name, item.buffer, buffers - 1));
    }
    if (item.depth < 1) {
      throw InvalidArgument(fmt::format("depth of field '{}' is {}; allowed is 1 or more",
                                        setup_.geometry->fields[item.field.index()].name, item.depth));
    }
    last = item.field;
  }
}

const ExchangePlan& Exchange::Impl::plan_for(const Selection& selection) {
  for (const ExchangePlan& plan : plans_) {
    if (plan.selection == selection) return plan;
  }
  check_selection(selection.items);
  // Plans are few: one for each combination of fields, buffers, directions and depths that a code uses. Pointers to them
  // are kept only between start() and finish(), so the vector may grow here.
  plans_.push_back({plans_.size(), selection, selection.token() ^ salt_});
  for (End& end : ends_) end.endpoint->prepare(plans_.back());
  for (const auto& fusion : fusions_) fusion->prepare(plans_.back());
  schedule_->prepare(plans_.back());
  if (order_check_) order_check_->prepare(plans_.back());
  return plans_.back();
}

void Exchange::Impl::check_streams(std::span<device::Stream* const> streams) const {
  if (streams.size() == states_.size()) return;
  throw InvalidArgument(fmt::format("{} streams were given; allowed is one for each of the {} local subdomains",
                                    streams.size(), states_.size()));
}

void Exchange::Impl::swapped(std::span<device::Stream* const> streams, field_id field) {
  check_streams(streams);
  const Selection::Item swapped{field, 0};
  check_selection({&swapped, 1});
  guarded([&] {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      streams[i]->advance(&states_[i]->mailbox.flag(states_[i]->swaps[field.index()])->epoch);
    }
  });
}

void Exchange::Impl::expect(std::span<device::Stream* const> streams, const Selection& selection,
                            std::string_view what) {
  check_streams(streams);
  guarded([&] {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const auto expected = parities(*states_[i], *setup_.geometry, selection, what);
      if (!expected.empty()) streams[i]->expect(expected);
    }
  });
}

void Exchange::Impl::start(std::span<device::Stream* const> streams, const Selection& selection, Overlap overlap) {
  if (failure_) std::rethrow_exception(failure_);
  if (running_ != nullptr)
    throw InvalidArgument("start_exchange() was called twice; finish() the first exchange before");
  check_streams(streams);
  check_selection(selection.items);
  const bool capturing = std::any_of(streams.begin(), streams.end(), [](auto* s) { return s->capturing(); });
  if (capturing) {
    if (const auto can = capturable(); !can.yes) {
      throw CapabilityError("the exchange cannot be captured in a graph: " + can.why_not);
    }
  }
  const device::Range range(*setup_.backend, "halocline exchange: start");
  guarded([&] {
    if (!capturing) check_streams_of_ends();
    if (abort_->raised()) check_others(fmt::format("exchange {}", step_ + 1));
    const ExchangePlan& plan = plan_for(selection);
    ++step_;
    if (record_) record_->started(step_);
    finishing_.reset();
    if (setup_.tracer != nullptr) setup_.tracer->set_step(step_);
    streams_.assign(streams.begin(), streams.end());
    if (order_check_) order_check_->before(plan);
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (states_[i]->scheduled || states_[i]->hosted) streams_[i]->record(*states_[i]->begun);
    }
    // What has the longest way goes first.
    for (End& end : ends_) {
      end.done = end.host == nullptr;
      if (end.done) continue;
      end.host->start(plan, in_order(overlap) ? &stream_of(end.state->subdomain.id) : nullptr);
    }
    schedule_->start(plan, capturing);
    for (const auto& fusion : fusions_) {
      if (!fusion->scheduled()) fusion->start(plan, streams_, overlap);
    }
    running_ = &plan;
    if (not_done() > 0 || moves_network()) join_others();
  });
  progress();
  if (record_) record_->note(EventKind::enqueued, step_);
}

void Exchange::Impl::join_others() {
  const std::shared_ptr<UnderWay>& own = UnderWay::of_this_thread();
  if (under_way_ == own) return;
  leave();
  own->add(*this);
  under_way_ = own;
}

void Exchange::Impl::leave() noexcept {
  if (const auto left = std::exchange(under_way_, nullptr)) left->remove(*this);
}

bool Exchange::Impl::progress() {
  if (under_way_) join_others();
  const bool all = proceed();
  if (all) {
    leave();
  } else {
    UnderWay::of_this_thread()->proceed_with_others(*this);
  }
  return all;
}

bool Exchange::Impl::proceed() {
  bool all = true;
  ++context_.pass;
  guarded([&] {
    for (std::size_t n = 0; n < ends_.size(); ++n) {
      End& end = ends_[n];
      if (!end.done) {
        end.done = end.host->progress();
        if (record_ && end.done) record_->done(n, step_);
        if (timing_ && end.done) end.arrived(finishing_ ? Clock::steady().now() - *finishing_ : Duration::zero());
      }
      all = all && end.done;
    }
    if (moves_network()) {
      all = network_->progress(step_) && all;
      if (!all && context_.pass % 16 == 0) check_running();
    }
    // For messages that this rank forwards, and for errors of ranks of other nodes. Seldom, because a call may give the core away.
    if (!all && context_.pass % (node_bundles_ ? 16 : 256) == 0) {
      try {
        setup_.comm->make_progress();
      } catch (const Error& error) {
        of_another_ = true;
        throw_error(error.kind(), given_up(error.what()));
      }
    }
    if (!all && abort_->raised()) throw CommunicationError(given_up(abort_->reason()));
  });
  return all;
}

/// A device that fails posts nothing any more, for which the host would wait in vain.
void Exchange::Impl::check_running() {
  check_streams_of_ends();
  for (device::Stream* stream : streams_) stream->raise_failure();
}

std::string Exchange::Impl::late() const {
  LateMessages messages;
  if (moves_network()) network_->engine().list_late(step_, messages);
  for (const End& end : ends_) {
    if (end.done) continue;
    const Channel& channel = *end.channel;
    const rank_id peer = channel.sender == me_ ? channel.receiver : channel.sender;
    messages.add(peer, fmt::format("{}: {}", channel.label(), end.host->state()));
  }
  return messages.text();
}

std::string Exchange::Impl::given_up(std::string_view why) const {
  return fmt::format("exchange {} was given up: {}; it waited for {}", step_, why, late());
}

std::size_t Exchange::Impl::not_done() const {
  return static_cast<std::size_t>(std::ranges::count_if(ends_, [](const End& end) { return !end.done; }));
}

void Exchange::Impl::finish(const std::function<void()>& arrived) {
  if (under_way_) join_others();  // another thread's waits do not touch it any more
  if (failure_) std::rethrow_exception(failure_);
  if (running_ == nullptr) throw InvalidArgument("finish() was called without start_exchange() before");
  const device::Range range(*setup_.backend, "halocline exchange: finish");
  const ExchangePlan* const plan = std::exchange(running_, nullptr);
  if (record_) record_->note(EventKind::waiting, step_);
  const Duration asks = comm::time_for_roll_call(setup_.timeout);
  const Deadline asking(setup_.comm->clock(), setup_.timeout - asks);
  const Deadline deadline(setup_.comm->clock(), setup_.timeout);
  if (timing_) finishing_ = Clock::steady().now();
  std::optional<std::size_t> told;  // how many were not done when arrived() was called last
  const auto proceed = [&] {
    const bool all = progress();
    if (arrived && told != not_done()) {
      told = not_done();
      guarded(arrived);
    }
    return all;
  };
  guarded([&] {
    if (!setup_.backend->wait_until(std::ref(proceed), asking)) {
      const std::string missing = asks > Duration::zero() ? missing_ranks() : std::string();
      if (has_error_of_another(missing)) {
        of_another_ = true;
        throw DeadlineError(given_up(missing));
      }
      if (!setup_.backend->wait_until(std::ref(proceed), deadline)) {
        throw DeadlineError(fmt::format("{}{}exchange {} is late by more than {} s: {}", missing,
                                        missing.empty() ? "" : ": ", step_,
                                        std::chrono::duration<double>(setup_.timeout).count(), late()));
      }
    }
  });
  guarded([&] {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (states_[i]->scheduled) schedule_->join(*states_[i], *streams_[i]);
      if (!states_[i]->hosted) continue;
      for (End& end : ends_) {
        if (end.state == states_[i] && end.host != nullptr) end.host->join(*streams_[i]);
      }
    }
    for (const auto& fusion : fusions_) {
      if (!fusion->scheduled()) fusion->join(streams_);
    }
    if (order_check_) order_check_->after(*plan);
  });
  if (record_) record_->finished(step_);
}

Directions Exchange::Impl::awaited(std::size_t place) const {
  Directions sides;
  for (const End& end : ends_) {
    if (end.state == states_.at(place) && !end.done) sides |= end.fills;
  }
  return sides;
}

void Exchange::Impl::join(std::size_t place, const Directions& sides, device::Stream& stream) const {
  const SubdomainState* state = states_.at(place);
  for (const End& end : ends_) {
    if (end.state == state && (end.fills & sides).any()) end.host->join(stream);
  }
  if ((state->filled_by_device & sides).none()) return;
  if (state->scheduled) schedule_->join(*state, stream);
  for (const auto& fusion : fusions_) {
    if (!fusion->scheduled() && fusion->has(*state)) fusion->join(stream);
  }
}

device::Stream& Exchange::Impl::stream_of(subdomain_id subdomain) const {
  std::size_t i = 0;
  while (states_[i]->subdomain.id != subdomain) ++i;
  return *streams_[i];
}

Verdict Exchange::Impl::may_capture() const {
  if (order_check_) return {false, "the order of work is checked, which needs the host"};
  for (const End& end : ends_) {
    if (end.host != nullptr) {
      const partition::Message& message = end.channel->message;
      const auto route = std::ranges::find_if(
          setup_.routes, [&](const routing::Route& r) { return r.from == message.from && r.to == message.to; });
      return {false, fmt::format("{} needs the host; its route is {}", end.channel->label(), route->reason)};
    }
    if (end.channel->transport == routing::Transport::net && moves_network()) {
      return {false, fmt::format("{} needs the host: {}", end.channel->label(), network_->threaded().why_not)};
    }
  }
  return Verdict::of(true);
}

bool Exchange::Impl::joins_devices() const { return schedule_->joint(); }

std::vector<Traffic> Exchange::Impl::traffic() const {
  std::vector<Traffic> rows;
  for (const routing::Transport transport : routing::all_transports) {
    Traffic row{transport};
    bool any = false;
    for (const auto& channel : channels_) {
      if (channel->transport != transport || channel->sender != me_) continue;
      any = true;
      if (!channel->follows) ++row.messages;
      row.bytes += channel->bytes();
    }
    if (any) rows.push_back(row);
  }
  return rows;
}

std::vector<TracedMessage> Exchange::Impl::messages() const {
  std::vector<TracedMessage> all;
  for (const auto& channel : channels_) {
    all.push_back({channel->message.from, channel->message.to, channel->direction, channel->transport, channel->sender,
                   channel->receiver, channel->bytes(), channel->follows});
  }
  return all;
}

std::vector<Arrival> Exchange::Impl::arrivals() const {
  std::map<std::pair<subdomain_id, subdomain_id>, Duration> least;
  for (const End& end : ends_) {
    if (!end.receives || end.least_wait == Duration::max()) continue;
    Duration& longest = least[{end.channel->message.from, end.channel->message.to}];
    longest = std::max(longest, end.least_wait);
  }
  std::vector<Arrival> all;
  for (const auto& [pair, wait] : least) all.push_back({pair.first, pair.second, wait});
  return all;
}

Exchange::Exchange(Setup setup) : impl_(std::make_unique<Impl>(std::move(setup))) {
  try {
    impl_->set_up();
  } catch (...) {
    if (!impl_->undo()) abandon("could not set up its exchange");
    throw;
  }
}

Exchange::~Exchange() {
  if (!impl_ || impl_->closed()) return;
  log_leak("an exchange was destroyed without close(); its memory is leaked");
  abandon("left without close()");
}

void Exchange::abandon(std::string_view why) noexcept {
  impl_->stop(why);
  leak(std::move(impl_));
}

void Exchange::start(std::span<device::Stream* const> streams, const Selection& selection, Overlap overlap) {
  impl_->start(streams, selection, overlap);
}
bool Exchange::progress() { return impl_->progress(); }
bool Exchange::under_way() const { return impl_->under_way(); }
void Exchange::finish() { impl_->finish({}); }
void Exchange::finish(const std::function<void()>& arrived) { impl_->finish(arrived); }
Directions Exchange::filled(std::size_t place) const { return impl_->filled(place); }
Directions Exchange::filled_by_device(std::size_t place) const { return impl_->filled_by_device(place); }
Directions Exchange::awaited(std::size_t place) const { return impl_->awaited(place); }
void Exchange::join(std::size_t place, const Directions& sides, device::Stream& stream) const {
  impl_->join(place, sides, stream);
}
void Exchange::swapped(std::span<device::Stream* const> streams, field_id field) { impl_->swapped(streams, field); }
void Exchange::expect(std::span<device::Stream* const> streams, const Selection& selection, std::string_view what) {
  impl_->expect(streams, selection, what);
}
void Exchange::check(std::span<device::Stream* const> streams) { impl_->check(streams); }
std::exception_ptr Exchange::explained(std::exception_ptr error) const noexcept {
  return impl_->cause_of(std::move(error));
}
void Exchange::guard(const std::function<void()>& step) { impl_->guarded(step); }
void Exchange::check_others(std::string_view what) { impl_->check_others(what); }
std::exception_ptr Exchange::failure() const { return impl_->failure(); }
void Exchange::forget_captured() { impl_->forget_captured(); }
Verdict Exchange::capturable() const { return impl_->capturable(); }
bool Exchange::joins_devices() const { return impl_->joins_devices(); }
std::vector<Traffic> Exchange::traffic() const { return impl_->traffic(); }
std::vector<TracedMessage> Exchange::messages() const { return impl_->messages(); }
void Exchange::time_arrivals(bool on) { impl_->time_arrivals(on); }
std::vector<Arrival> Exchange::arrivals() const { return impl_->arrivals(); }
void Exchange::close(std::span<device::Stream* const> streams) { impl_->close(streams); }

}  // namespace halocline::exchange
