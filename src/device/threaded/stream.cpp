// SPDX-License-Identifier: BSD-3-Clause
#include "device/threaded/stream.hpp"

#include <exception>
#include <memory>
#include <thread>
#include <utility>

#include "device/detail/flag_checks.hpp"
#include "device/threaded/exchange.hpp"

namespace halocline::device::threaded {
namespace {

template <typename T>
std::vector<T> kept(std::span<const T> items) {
  return {items.begin(), items.end()};
}

/// Launches that are handed over have a share of it, so that it may be destroyed before they are carried out: a program whose step has
/// failed destroys its graphs.
class ThreadedGraph final : public Graph {
 public:
  explicit ThreadedGraph(std::shared_ptr<Graph> made) : inner(std::move(made)) {}
  std::shared_ptr<Graph> inner;
};

}  // namespace

ThreadTeam::ThreadTeam(int devices)
    : dedicated_cores(static_cast<int>(std::thread::hardware_concurrency()) > 2 * devices) {
  for (int device = 0; device < devices; ++device) launchers.push_back(std::make_unique<Launcher>(dedicated_cores));
}

ThreadedStream::ThreadedStream(std::shared_ptr<ThreadTeam> team, std::unique_ptr<Stream> inner, bool on_host)
    : team_(std::move(team)), inner_(std::move(inner)), on_host_(on_host) {}

ThreadedStream::~ThreadedStream() {
  launcher().settle();
  inner_.reset();
  if (began_capture_) --team_->captures;
}

FailurePtr ThreadedStream::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void ThreadedStream::fail(FailurePtr with) {
  const std::lock_guard lock(mutex_);
  if (failure_ == nullptr) failure_ = std::move(with);
}

void ThreadedStream::carry_out(const std::function<void(Stream&)>& work) {
  if (failure() != nullptr) return;
  try {
    work(*inner_);
  } catch (...) {
    fail(failure_of(std::current_exception(), "a launch"));
  }
}

void ThreadedStream::pass(std::function<void(Stream&)> work) {
  if (const FailurePtr known = failure()) raise(*known);
  if (here_and_now()) {
    team_->settle();
    return work(*inner_);
  }
  hand_over([this, work = std::move(work)] { carry_out(work); });
}

void ThreadedStream::hand_over(std::function<void()> work) {
  pending_.fetch_add(1, std::memory_order_relaxed);
  launcher().hand_over([this, work = std::move(work)] {
    work();
    pending_.fetch_sub(1, std::memory_order_release);
  });
}

void ThreadedStream::copy(std::byte* target, const std::byte* source, std::size_t bytes) {
  pass([=](Stream& inner) { inner.copy(target, source, bytes); });
}

void ThreadedStream::copy(const StridedCopy& copy) {
  pass([copy](Stream& inner) { inner.copy(copy); });
}

void ThreadedStream::copy(const CopyList& list) {
  pass([&list](Stream& inner) { inner.copy(list); });
}

void ThreadedStream::copy_in_turn(const std::uint64_t* epoch, const std::array<const CopyList*, 2>& lists) {
  check_epoch(epoch);
  pass([epoch, lists](Stream& inner) { inner.copy_in_turn(epoch, lists); });
}

void ThreadedStream::add(const SumList& list) {
  pass([&list](Stream& inner) { inner.add(list); });
}

void ThreadedStream::reduce(const ReductionList& list) {
  pass([&list](Stream& inner) { inner.reduce(list); });
}

void ThreadedStream::run(FusedExchange& exchange, std::uint64_t* stamps) {
  FusedExchange& mine = ThreadedExchange::inner_of(exchange, team_.get(), device());
  pass([&mine, stamps](Stream& inner) { inner.run(mine, stamps); });
}

void ThreadedStream::advance(std::uint64_t* epoch, std::span<const FlagSignal> signals) {
  check_epoch(epoch);
  check_signals(signals);
  pass([epoch, mine = kept(signals)](Stream& inner) { inner.advance(epoch, mine); });
}

void ThreadedStream::signal(const std::uint64_t* epoch, std::span<const FlagSignal> signals) {
  check_epoch(epoch);
  check_signals(signals);
  pass([epoch, mine = kept(signals)](Stream& inner) { inner.signal(epoch, mine); });
}

void ThreadedStream::wait(const std::uint64_t* epoch, std::span<const FlagWait> waits) {
  check_epoch(epoch);
  check_waits(waits);
  pass([epoch, mine = kept(waits)](Stream& inner) { inner.wait(epoch, mine); });
}

void ThreadedStream::expect(std::span<const CounterCheck> checks) {
  for (const CounterCheck& check : checks) check_counter(check);
  pass([mine = kept(checks)](Stream& inner) { inner.expect(mine); });
}

void ThreadedStream::record(Event& event) {
  const std::shared_ptr<Shared> mark = threaded(event).shared();
  if (mark->device != device()) {
    throw InvalidArgument("the event belongs to device " + std::to_string(mark->device) +
                          "; allowed is the stream's, " + std::to_string(device()));
  }
  if (const FailurePtr known = failure()) raise(*known);
  if (here_and_now()) {
    team_->settle();
    inner_->record(*mark->inner);
    mark->set_failure(nullptr);
    mark->made.store(mark->asked.fetch_add(1) + 1, std::memory_order_release);
    return;
  }
  const std::uint64_t number = mark->asked.fetch_add(1) + 1;
  const std::uint64_t waits = mark->waits_asked.load();
  hand_over([this, mark, number, waits] {
    spin_until([&] { return mark->waits_placed.load(std::memory_order_acquire) >= waits; }, team_->dedicated_cores);
    carry_out([&](Stream& inner) { inner.record(*mark->inner); });
    mark->set_failure(failure());
    mark->made.store(number, std::memory_order_release);
  });
}

void ThreadedStream::wait(const Event& event) {
  const std::shared_ptr<Shared> mark = threaded(event).shared();
  if (const FailurePtr known = failure()) raise(*known);
  if (here_and_now()) {
    team_->settle();
    if (const FailurePtr before = mark->failure()) {
      fail(before);
      raise(*before);
    }
    return inner_->wait(*mark->inner);
  }
  const std::uint64_t number = mark->asked.load();
  if (number == 0) return;
  const bool of_another = mark->device != device();
  if (of_another) ++mark->waits_asked;
  hand_over([this, mark, number, of_another] {
    spin_until([&] { return mark->made.load(std::memory_order_acquire) >= number; }, team_->dedicated_cores);
    if (const FailurePtr before = mark->failure()) fail(before);
    carry_out([&](Stream& inner) { inner.wait(*mark->inner); });
    if (of_another) ++mark->waits_placed;
  });
}

void ThreadedStream::launch(const Box& box, std::function<void(const Box&)> body) {
  if (!on_host_) return inner_->launch(box, std::move(body));  // refuses
  pass([box, body = std::move(body)](Stream& inner) { inner.launch(box, body); });
}

void ThreadedStream::host_function(std::function<void()> function) {
  pass([function = std::move(function)](Stream& inner) { inner.host_function(function); });
}

void ThreadedStream::enqueue(std::function<void(Stream&)> work) { pass(std::move(work)); }

void ThreadedStream::begin_capture() {
  ++team_->captures;
  team_->settle();
  try {
    inner_->begin_capture();
  } catch (...) {
    --team_->captures;
    throw;
  }
  began_capture_ = true;
}

std::unique_ptr<Graph> ThreadedStream::end_capture() {
  team_->settle();
  const bool began = std::exchange(began_capture_, false);
  try {
    auto graph = std::make_unique<ThreadedGraph>(inner_->end_capture());
    if (began) --team_->captures;
    return graph;
  } catch (...) {
    if (began) --team_->captures;
    throw;
  }
}

bool ThreadedStream::capturing() const { return here_and_now() && inner_->capturing(); }

void ThreadedStream::launch(Graph& graph) {
  auto* mine = dynamic_cast<ThreadedGraph*>(&graph);
  if (mine == nullptr) throw InvalidArgument("the graph belongs to another backend than the stream");
  pass([inner_graph = mine->inner](Stream& inner) { inner.launch(*inner_graph); });
}

template <typename F>
auto ThreadedStream::watched(F&& f) {
  try {
    return f();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::internal && error.kind() != ErrorKind::invalid_argument) {
      fail(failure_of(std::current_exception(), "a launch"));
    }
    throw;
  }
}

void ThreadedStream::raise_failure() {
  if (const FailurePtr known = failure()) raise(*known);
  // The launcher uses the inner stream while there is work for it.
  if (pending_.load(std::memory_order_acquire) == 0) watched([this] { inner_->raise_failure(); });
}

bool ThreadedStream::query() {
  if (const FailurePtr known = failure()) raise(*known);
  if (pending_.load(std::memory_order_acquire) != 0) return false;
  return watched([this] { return inner_->query(); });
}

void ThreadedStream::synchronize() {
  launcher().settle();
  if (const FailurePtr known = failure()) {
    try {
      inner_->synchronize();  // so that nothing runs any more
    } catch (const Error&) {  // the known one is older
    }
    raise(*known);
  }
  watched([this] { inner_->synchronize(); });
}

void* ThreadedStream::native() const {
  launcher().settle();
  return inner_->native();
}

}  // namespace halocline::device::threaded
