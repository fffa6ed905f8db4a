// SPDX-License-Identifier: BSD-3-Clause
// How an exchange ends: closed by all ranks, or by a failure.
#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include "comm/agree.hpp"
#include "core/leak.hpp"
#include "core/short_text.hpp"
#include "device/disagreement.hpp"
#include "exchange/detail/difference.hpp"
#include "exchange/detail/exchange_impl.hpp"

namespace halocline::exchange {
namespace {

/// What ended this rank's wait, with the reason that another rank gave.
std::exception_ptr with_reason(std::exception_ptr error, const AbortWord& abort) noexcept {
  if (!abort.raised()) return error;
  try {
    std::rethrow_exception(error);
  } catch (const CommunicationError& caught) {
    try {
      const std::string reason = abort.reason();
      const std::string text = caught.what();
      // The reason may be this error, with this rank's number.
      if (text.find(reason) != std::string::npos || reason.find(text) != std::string::npos) return error;
      return std::make_exception_ptr(CommunicationError(text + ": " + reason));
    } catch (...) {  // out of memory: the error without the reason
      return error;
    }
  } catch (...) {
    return error;
  }
}

template <typename Kind>
bool is_a(const std::exception_ptr& error) noexcept {
  try {
    std::rethrow_exception(error);
  } catch (const Kind&) {
    return true;
  } catch (...) {
    return false;
  }
}

std::string text_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& caught) {
    return caught.what();
  }
}

}  // namespace

std::exception_ptr Exchange::Impl::with_difference(std::exception_ptr error) const noexcept {
  try {
    std::rethrow_exception(error);
  } catch (const device::Disagreement& caught) {
    try {
      const auto [expected, found] = caught.tokens();
      const auto plan = std::ranges::find(plans_, expected, &ExchangePlan::token);
      if (expected == found || plan == plans_.end()) return error;
      const std::string found_text = difference(plan->selection, found ^ salt_, *setup_.geometry);
      const std::string text = fmt::format(
          "{}; {}", caught.what(),
          found_text.empty() ? "this side exchanges " + selection_text(plan->selection, *setup_.geometry) : found_text);
      return std::make_exception_ptr(ProtocolError(text));
    } catch (...) {  // out of memory: the error without it
      return error;
    }
  } catch (...) {
    return error;
  }
}

std::exception_ptr Exchange::Impl::cause_of(std::exception_ptr error) const noexcept {
  // What a device reports after an abort of its communicator is a consequence.
  const std::exception_ptr cause = communicators_ ? communicators_->failure() : nullptr;
  return cause ? cause : with_difference(std::move(error));
}

std::string Exchange::Impl::missing_ranks() const {
  const std::string of_all = setup_.comm->missing();
  return of_all.empty() ? setup_.node_comm->missing() : of_all;
}

bool Exchange::Impl::has_error_of_another(const std::string& missing) const {
  return !missing.empty() && (setup_.comm->poisoned() || setup_.node_comm->poisoned());
}

std::exception_ptr Exchange::Impl::with_missing(std::exception_ptr error) const noexcept {
  const bool late = is_a<DeadlineError>(error);
  // It ended because another rank's message was late, before its own were.
  const bool with_it = is_a<CommunicationError>(error) && abort_->raised_for(AbortWord::Cause::lateness);
  if (!late && !with_it) return error;
  try {
    const std::string text = text_of(error);
    if (text.find(" missing: ") != std::string::npos) return error;
    const std::string missing = missing_ranks();
    if (missing.empty()) return error;
    const std::string whole =
        has_error_of_another(missing) ? fmt::format("{}; {}", text, missing) : fmt::format("{}: {}", missing, text);
    return late ? std::make_exception_ptr(DeadlineError(whole)) : std::make_exception_ptr(CommunicationError(whole));
  } catch (...) {  // out of memory: the error without it
    return error;
  }
}

void Exchange::Impl::fail(std::exception_ptr error) noexcept {
  if (failure_) return;
  const bool aborted = abort_->raised();
  failure_ = with_missing(with_reason(cause_of(std::move(error)), *abort_));
  abort_->raise(me_, failure_);
  if (network_) network_->give_up();
  if (record_) record_->failed(failure_, of_another_ || (aborted && is_a<CommunicationError>(failure_)), step_);
  try {
    std::rethrow_exception(failure_);
  } catch (...) {  // the error that poison() sends to the other ranks
    setup_.comm->poison();
    setup_.node_comm->poison();
    if (setup_.parent != nullptr) setup_.parent->poison();
  }
}

void Exchange::Impl::check_others(std::string_view what) {
  guarded([&] {
    if (abort_->raised()) throw CommunicationError(fmt::format("{} is not started: {}", what, abort_->reason()));
  });
}

void Exchange::Impl::each_stream(const VisitStream& visit) {
  if (schedule_) schedule_->each_stream(visit);
  for (const auto& fusion : fusions_) fusion->each_stream(visit);
  for (const End& end : ends_) end.endpoint->each_stream(visit);
}

void Exchange::Impl::check_streams_of_ends() {
  each_stream([](const auto& stream) { stream->raise_failure(); });
  for (const auto& fusion : fusions_) fusion->check();
  if (network_) network_->check();
  if (communicators_ && communicators_->failure()) std::rethrow_exception(communicators_->failure());
}

void Exchange::Impl::check(std::span<device::Stream* const> streams) {
  guarded([&] {
    check_streams_of_ends();
    for (device::Stream* stream : streams) stream->raise_failure();
  });
}

void Exchange::Impl::stop(std::string_view why) noexcept {
  const LeaksReported known;
  leave();
  if (record_ && !failure_) record_->left(why, step_);
  record_.reset();  // its streams are among those that end here
  // It ends this rank's own waits as well.
  if (abort_) abort_->raise(ShortText("rank {} {}", me_.value(), why));
  each_stream([](auto& stream) { stream.reset(); });
  for (const auto& fusion : fusions_) fusion->stop();
  if (network_) {
    network_->give_up();
    network_->stop();
  }
  if (communicators_) communicators_->stop();
}

void Exchange::Impl::let_go() {
  setup_.comm->barrier();
  if (network_) network_->close(Deadline(setup_.comm->clock(), setup_.timeout));
  network_.reset();
  record_.reset();
  order_check_.reset();
  schedule_.reset();
  fusions_.clear();
  ends_.clear();
  communicators_.reset();
  mappings_->clear();
  setup_.comm->barrier();
  context_.states.clear();
}

bool Exchange::Impl::undo() noexcept {
  // A rank is missing, maybe in another group: it would be missing once more.
  if (is_a<DeadlineError>(std::current_exception())) setup_.comm->poison();
  if (setup_.comm->poisoned()) return false;
  try {
    let_go();
    return true;
  } catch (...) {  // the error of set_up() has the reason
    return false;
  }
}

void Exchange::Impl::close(std::span<device::Stream* const> streams) {
  if (closed_) return;
  leave();  // waits for other exchanges do not touch it any more
  guarded([&] {
    check_others("close()");
    comm::agree_on(*setup_.comm, [&] {
      std::vector<device::Stream*> all(streams.begin(), streams.end());
      each_stream([&](const auto& stream) { all.push_back(stream.get()); });
      setup_.backend->synchronize(all);
    });
    let_go();
  });
  closed_ = true;
}

}  // namespace halocline::exchange
