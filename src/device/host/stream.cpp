// SPDX-License-Identifier: BSD-3-Clause
#include "device/host/stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "core/leak.hpp"
#include "core/short_text.hpp"
#include "device/detail/flag_checks.hpp"
#include "device/host/fused_exchange.hpp"
#include "device/host/graph.hpp"
#include "device/host/strided_reduction.hpp"
#include "device/host/strided_sum.hpp"

namespace halocline::device::host {
namespace {

/// The host backend's own kind of an object, of this scheduler.
template <typename To, typename From>
To& own(From& object, const std::shared_ptr<Scheduler>& scheduler, const char* what) {
  auto* mine = dynamic_cast<To*>(&object);
  if (mine == nullptr || &mine->scheduler() != scheduler.get()) {
    throw InvalidArgument(fmt::format("the {} belongs to another backend than the stream", what));
  }
  return *mine;
}

}  // namespace

bool HostEvent::query() const {
  const Scheduler::Lock held = scheduler_->lock();
  if (mark_ == nullptr) return true;
  if (mark_->captured) throw InternalError("query: the event was last recorded in a capture");
  if (mark_->failure != nullptr) raise(*mark_->failure);
  return mark_->done;
}

Duration HostEvent::since(const Event& earlier) const {
  const HostEvent& other = own<const HostEvent>(earlier, scheduler_, "event");
  const Scheduler::Lock held = scheduler_->lock();
  for (const HostEvent* event : {&other, this}) {
    if (event->timing_ == Timing::off) throw InvalidArgument("since: the event was made without timing");
    const bool reached = event->mark_ != nullptr && !event->mark_->captured && event->mark_->done;
    if (!reached) throw InvalidArgument("since: the event's mark was not reached yet");
    if (event->mark_->failure != nullptr) raise(*event->mark_->failure);
  }
  if (device_ != other.device_) {
    throw InvalidArgument(
        fmt::format("since: the events belong to devices {} and {}; allowed is one device", other.device_, device_));
  }
  return mark_->time - other.mark_->time;
}

HostCopyList::HostCopyList(std::span<const StridedCopy> copies, HeaderWrite write, HeaderCheck check)
    : write_(std::move(write)), check_(std::move(check)) {
  std::vector<RowCopy> rows;
  rows.reserve(copies.size());
  for (const StridedCopy& copy : copies) {
    rows.push_back(plan_rows(copy));
    bytes_ += copy.bytes();
  }
  copies_ = std::make_shared<const std::vector<RowCopy>>(std::move(rows));
}

HostStream::HostStream(std::shared_ptr<Scheduler> scheduler, std::shared_ptr<DoorbellMap> doorbells, int device,
                       Priority priority)
    : scheduler_(std::move(scheduler)),
      doorbells_(std::move(doorbells)),
      queue_(std::make_shared<Queue>(device, priority)) {}

HostStream::~HostStream() {
  {
    const Scheduler::Lock held = scheduler_->lock();
    leave_capture(*queue_);
  }
  const std::size_t dropped = scheduler_->close(*queue_);
  if (dropped != 0) {
    log_leak(ShortText("a stream of host device {} was destroyed with {} operations not run", device(), dropped));
  }
}

/// Into the queue, or into the capture that the stream is in.
void HostStream::enqueue(Item item) {
  Scheduler::Lock held = scheduler_->lock();
  if (queue_->failure != nullptr) raise(*queue_->failure);
  if (queue_->capture != nullptr) {
    capture_item(*queue_, std::move(item));
    return;
  }
  const bool full = queue_->items.size() >= Scheduler::most_queued;
  held.unlock();
  item = scheduler_->with_injection(std::move(item), device());
  if (full) scheduler_->wait_for_room(*queue_);
  held.lock();
  if (queue_->failure != nullptr) raise(*queue_->failure);
  scheduler_->push(held, *queue_, std::move(item));
  scheduler_->release(held);
}

std::vector<Item> HostStream::prepare(const std::function<void()>& enqueue) {
  begin_capture();
  enqueue();
  const Scheduler::Lock held = scheduler_->lock();
  std::size_t marks = 0;
  return std::move(host::end_capture(*queue_, marks).front().items);
}

void HostStream::run(Operation kind, std::function<void()> function) {
  enqueue({kind, Run{std::make_shared<const std::function<void()>>(std::move(function))}, {}});
}

void HostStream::copy(std::byte* target, const std::byte* source, std::size_t bytes) {
  if (bytes != 0 && (target == nullptr || source == nullptr)) {
    throw InvalidArgument(
        fmt::format("the {} of a copy of {} bytes is null", target == nullptr ? "target" : "source", bytes));
  }
  run(Operation::copy, [=] {
    if (bytes != 0) std::memcpy(target, source, bytes);
  });
}

void HostStream::copy(const StridedCopy& copy) {
  run(Operation::copy, [rows = plan_rows(copy)] { copy_rows(rows); });
}

void HostStream::copy(const CopyList& list) {
  const auto* mine = dynamic_cast<const HostCopyList*>(&list);
  if (mine == nullptr) throw InvalidArgument("the list of copies belongs to another backend than the stream");
  const HeaderWrite& write = mine->write_;
  if (write.advance) {
    advance(write.epoch, write.headers);
  } else if (!write.headers.empty()) {
    signal(write.epoch, write.headers);
  }
  const HeaderCheck& check = mine->check_;
  if (!check.headers.empty()) wait(check.epoch, check.headers);
  if (check.done != nullptr) {
    const FlagSignal done{check.done};
    signal(check.epoch, {&done, 1});
  }
  run(Operation::copy_list, [copies = mine->copies_] {
    for (const RowCopy& rows : *copies) copy_rows(rows);
  });
}

void HostStream::copy_in_turn(const std::uint64_t* epoch, const std::array<const CopyList*, 2>& lists) {
  check_epoch(epoch);
  std::array<std::shared_ptr<const std::vector<RowCopy>>, 2> copies;
  for (std::size_t turn = 0; turn < 2; ++turn) {
    const auto* mine = dynamic_cast<const HostCopyList*>(lists[turn]);
    if (mine == nullptr) throw InvalidArgument("a list of copies in turn belongs to another backend than the stream");
    copies[turn] = mine->copies_;
  }
  run(Operation::copy_list, [epoch, copies] {
    const auto now = std::atomic_ref(*const_cast<std::uint64_t*>(epoch)).load(std::memory_order_acquire);
    for (const RowCopy& rows : *copies[now % 2]) copy_rows(rows);
  });
}

void HostStream::add(const SumList& list) {
  const auto* mine = dynamic_cast<const HostSumList*>(&list);
  if (mine == nullptr) throw InvalidArgument("the list of sums belongs to another backend than the stream");
  run(Operation::sum_list, [sums = mine->sums_] {
    for (const StridedSum& sum : *sums) add_terms(sum);
  });
}

void HostStream::reduce(const ReductionList& list) {
  const auto* mine = dynamic_cast<const HostReductionList*>(&list);
  if (mine == nullptr) throw InvalidArgument("the list of reductions belongs to another backend than the stream");
  run(Operation::reduction_list, [reductions = mine->reductions_] {
    for (const StridedReduction& reduction : *reductions) host::reduce(reduction);
  });
}

void HostStream::run(FusedExchange& exchange, std::uint64_t* /*stamps*/) {
  own<HostFusedExchange>(exchange, scheduler_, "fused exchange").enqueue(*this);
}

/// Each doorbell that the signals ring, once.
std::vector<std::shared_ptr<Doorbell>> HostStream::doorbells_of(std::span<const FlagSignal> signals) const {
  std::vector<std::shared_ptr<Doorbell>> bells;
  for (const FlagSignal& signal : signals) {
    for (const Flag* flag : {static_cast<const Flag*>(signal.flag), static_cast<const Flag*>(signal.odd)}) {
      if (flag == nullptr) continue;
      std::shared_ptr<Doorbell> bell = doorbells_->of(flag);
      if (std::find(bells.begin(), bells.end(), bell) == bells.end()) bells.push_back(std::move(bell));
    }
  }
  return bells;
}

void HostStream::advance(std::uint64_t* epoch, std::span<const FlagSignal> signals) {
  check_epoch(epoch);
  check_signals(signals);
  // Atomic, because other streams may read the word for their signals and waits; one writer, so load and store.
  run(Operation::advance,
      [epoch, flags = std::vector<FlagSignal>(signals.begin(), signals.end()), bells = doorbells_of(signals)] {
        const std::atomic_ref<std::uint64_t> word(*epoch);
        word.store(word.load(std::memory_order_relaxed) + 1, std::memory_order_release);
        store_signals(epoch, flags);
        for (const auto& bell : bells) bell->ring();
      });
}

void HostStream::signal(const std::uint64_t* epoch, std::span<const FlagSignal> signals) {
  check_epoch(epoch);
  check_signals(signals);
  run(Operation::signal,
      [epoch, flags = std::vector<FlagSignal>(signals.begin(), signals.end()), bells = doorbells_of(signals)] {
        store_signals(epoch, flags);
        for (const auto& bell : bells) bell->ring();
      });
}

void HostStream::wait(const std::uint64_t* epoch, std::span<const FlagWait> waits) {
  check_epoch(epoch);
  check_waits(waits);
  auto flags = std::make_shared<const FlagWaits>(FlagWaits{epoch, {waits.begin(), waits.end()}});
  enqueue({Operation::wait_flag, AwaitFlags{std::move(flags)}, {}});
}

void HostStream::expect(std::span<const CounterCheck> checks) {
  for (const CounterCheck& check : checks) check_counter(check);
  run(Operation::expect, [all = std::vector<CounterCheck>(checks.begin(), checks.end())] {
    for (const CounterCheck& check : all) require(check);
  });
}

void HostStream::record(Event& event) {
  HostEvent& mine = own<HostEvent>(event, scheduler_, "event");
  auto mark = std::make_shared<Mark>();
  {
    const Scheduler::Lock held = scheduler_->lock();
    if (queue_->failure != nullptr) raise(*queue_->failure);
    if (queue_->capture != nullptr) {
      mine.mark_ = capture_record(*queue_);
      return;
    }
    // A timed one is reached when a thread has come to it, as the operations that it is compared with.
    if (mine.timing_ == Timing::off && !scheduler_->injects() && Scheduler::finished(*queue_)) {
      mark->done = true;
      mine.mark_ = std::move(mark);
      return;
    }
  }
  enqueue({Operation::record, Record{mark}, {}});
  const Scheduler::Lock held = scheduler_->lock();
  mine.mark_ = std::move(mark);
}

void HostStream::wait(const Event& event) {
  const HostEvent& mine = own<const HostEvent>(event, scheduler_, "event");
  MarkPtr mark;
  {
    const Scheduler::Lock held = scheduler_->lock();
    if (queue_->failure != nullptr) raise(*queue_->failure);
    mark = mine.mark_;
    if (mark == nullptr) return;
    if (queue_->capture != nullptr || mark->captured) return capture_wait(*queue_, mark);
    if (mark->done && mark->failure == nullptr && !scheduler_->injects()) return;
  }
  enqueue({Operation::wait_event, AwaitMark{std::move(mark)}, {}});
}

void HostStream::launch(const Box& box, std::function<void(const Box&)> body) {
  run(Operation::launch, [box, body = std::move(body)] {
    if (!box.empty()) body(box);
  });
}

void HostStream::host_function(std::function<void()> function) { run(Operation::host_function, std::move(function)); }

void HostStream::begin_capture() {
  const Scheduler::Lock held = scheduler_->lock();
  if (queue_->failure != nullptr) raise(*queue_->failure);
  host::begin_capture(*queue_);
}

std::unique_ptr<Graph> HostStream::end_capture() {
  std::vector<Lane> lanes;
  std::size_t marks = 0;
  {
    const Scheduler::Lock held = scheduler_->lock();
    lanes = host::end_capture(*queue_, marks);
  }
  return std::make_unique<HostGraph>(scheduler_, std::move(lanes), marks);
}

bool HostStream::capturing() const {
  const Scheduler::Lock held = scheduler_->lock();
  return queue_->capture != nullptr;
}

void HostStream::launch(Graph& graph) { own<HostGraph>(graph, scheduler_, "graph").launch(*queue_); }

void HostStream::raise_failure() {
  const Scheduler::Lock held = scheduler_->lock();
  if (queue_->failure != nullptr) raise(*queue_->failure);
}

bool HostStream::query() {
  const Scheduler::Lock held = scheduler_->lock();
  refuse_capture(*queue_, "query");
  if (queue_->failure != nullptr) raise(*queue_->failure);
  return Scheduler::finished(*queue_);
}

void HostStream::synchronize() {
  {
    const Scheduler::Lock held = scheduler_->lock();
    refuse_capture(*queue_, "synchronize");
  }
  (void)scheduler_->help([this] { return query(); }, Deadline(), true);
}

}  // namespace halocline::device::host
