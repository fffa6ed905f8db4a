// SPDX-License-Identifier: BSD-3-Clause
// How a domain ends: closed by all ranks, or after a failure.
#include "comm/phase.hpp"
#include "comm/uncounted.hpp"
#include "core/leak.hpp"
#include "core/log.hpp"
#include "core/short_text.hpp"
#include "domain/detail/domain_impl.hpp"

namespace halocline {
namespace {

/// How a rank leaves, for the others: with its error, which they may not know otherwise.
ShortText departure(std::string_view how, const std::exception_ptr& failure) noexcept {
  if (failure == nullptr) return ShortText("{}", how);
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return ShortText("{} after an error: {}", how, error.what());
  } catch (...) {
    return ShortText("{} after an error", how);
  }
}

}  // namespace

void Domain::Impl::close_groups() {
  for (auto* group : {&node_comm, &owned_comm}) {
    if (*group) (*group)->close();
    group->reset();
  }
  comm = nullptr;
}

void Domain::Impl::close() {
  const comm::Uncounted closing;
  if (exchange) {
    if (capturing) discard_capture();
    if (accumulation) accumulation->close(streams);
    accumulation.reset();
    if (reductions) reductions->close(streams);
    const std::vector<exchange::Arrival> arrivals = exchange->arrivals();
    exchange->close(streams);  // all work in the streams is done from here on, that of graphs included
    warn_of_slow_path(arrivals);
    slow_paths.reset();
    static_cast<void>(take_graphs());
    reductions.reset();
    exchange.reset();
    boundary_updater.reset();
    timer.reset();
    tracer.reset();
    subdomains.clear();
    streams.clear();
    marks.clear();
    locals.clear();
  }
  close_groups();
  note(EventKind::closed);
}

void Domain::Impl::poison_groups() noexcept {
  for (comm::RankGroup* group : {comm, node_comm.get()}) {
    if (group != nullptr) group->poison();
  }
}

void Domain::Impl::give_up() noexcept {
  life_.fail(std::current_exception());
  try {
    throw;
  } catch (const Error& error) {
    // Ranks that were waited for in vain do not close the groups either.
    if (error.kind() == ErrorKind::deadline) poison_groups();
  } catch (...) {
    poison_groups();
  }
}

void Domain::Impl::leak_memory() noexcept {
  for (Recorded& recorded : take_graphs()) leak(std::move(recorded.graph));
  capturing.reset();
  subdomains.clear();
  streams.clear();
  marks.clear();
  for (Local& local : locals) {
    local.stream.reset();
    leak(std::move(local.arena.buffer));
  }
  locals.clear();
  leak(std::move(node_comm));
  leak(std::move(owned_comm));
  comm = nullptr;
  leak(std::move(backend));
}

void Domain::Impl::undo() noexcept {
  if (abandon("could not be realized")) return;
  try {
    if (comm == nullptr || !comm->poisoned()) {
      reductions.reset();
      subdomains.clear();
      streams.clear();
      marks.clear();
      locals.clear();
      return close_groups();
    }
  } catch (...) {  // the set-up's own error contains the reason
  }
  leak_memory();
}

bool Domain::Impl::abandon(std::string_view why) noexcept {
  if (!exchange) return false;
  const LeaksReported known;
  if (accumulation) accumulation->abandon(why);
  accumulation.reset();
  if (reductions) reductions->abandon(why);
  reductions.reset();
  exchange->abandon(why);
  exchange.reset();
  boundary_updater.reset();
  slow_paths.reset();
  timer.reset();
  tracer.reset();
  leak_memory();
  return true;
}

Domain::~Domain() {
  using State = LifeCycle::State;
  const State state = impl_->life().state();
  if (state != State::realized && state != State::failed) return;
  if (!impl_->abandon(departure("left without close()", impl_->life().failure()))) return;
  if (state == State::failed || std::uncaught_exceptions() > 0) {
    log_at_exit(LogLevel::warning, "a domain was destroyed after an error; its device memory is leaked");
  } else {
    log(LogLevel::warning, "a domain was destroyed without close(); its device memory is leaked");
  }
}

void Domain::close() {
  switch (impl_->life().state()) {
    case LifeCycle::State::closed: return;
    case LifeCycle::State::failed:
      if (impl_->abandon(departure("closed its domain", impl_->life().failure()))) {
        log_at_exit(LogLevel::warning, "a domain was closed after an error; its device memory is leaked");
      }
      break;
    default: {
      const comm::Phase phase("close()");
      if (impl_->exchange) impl_->note(EventKind::closing);  // in front of the wait for the other ranks
      impl_->begin_together();
      try {
        impl_->close();
      } catch (...) {
        impl_->life().fail(std::current_exception());
        throw;
      }
    }
  }
  impl_->life().reach(LifeCycle::State::closed);
}

}  // namespace halocline
