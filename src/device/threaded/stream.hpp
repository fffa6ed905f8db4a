// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "device/threaded/event.hpp"
#include "device/threaded/launcher.hpp"

namespace halocline::device::threaded {

/// State shared by streams and their backend.
struct ThreadTeam {
  explicit ThreadTeam(int devices);
  bool dedicated_cores;  ///< every launcher has its own core
  std::vector<std::unique_ptr<Launcher>> launchers;
  /// Captures under way. During a capture the caller enqueues operations itself, because they must be part of the capture when
  /// it ends.
  std::atomic<int> captures{0};

  void settle() const {
    for (const auto& launcher : launchers) launcher->settle();
  }
};

class ThreadedStream final : public Stream {
 public:
  ThreadedStream(std::shared_ptr<ThreadTeam> team, std::unique_ptr<Stream> inner, bool on_host);
  ~ThreadedStream() override;
  ThreadedStream(const ThreadedStream&) = delete;
  ThreadedStream& operator=(const ThreadedStream&) = delete;

  [[nodiscard]] int device() const override { return inner_->device(); }
  void copy(std::byte* target, const std::byte* source, std::size_t bytes) override;
  void copy(const StridedCopy& copy) override;
  void copy(const CopyList& list) override;
  void copy_in_turn(const std::uint64_t* epoch, const std::array<const CopyList*, 2>& lists) override;
  void add(const SumList& list) override;
  void reduce(const ReductionList& list) override;
  void run(FusedExchange& exchange, std::uint64_t* stamps) override;
  void advance(std::uint64_t* epoch, std::span<const FlagSignal> signals) override;
  using Stream::advance;
  void signal(const std::uint64_t* epoch, std::span<const FlagSignal> signals) override;
  void wait(const std::uint64_t* epoch, std::span<const FlagWait> waits) override;
  void expect(std::span<const CounterCheck> checks) override;
  void record(Event& event) override;
  void wait(const Event& event) override;
  void launch(const Box& box, std::function<void(const Box&)> body) override;
  void host_function(std::function<void()> function) override;
  void enqueue(std::function<void(Stream&)> work) override;
  void begin_capture() override;
  [[nodiscard]] std::unique_ptr<Graph> end_capture() override;
  [[nodiscard]] bool capturing() const override;
  void launch(Graph& graph) override;
  void raise_failure() override;
  [[nodiscard]] bool query() override;
  void synchronize() override;
  [[nodiscard]] void* native() const override;

 private:
  /// Hands work over, or carries it out at once during a capture. Throws the stream's failure if it is known.
  void pass(std::function<void(Stream&)> work);
  void hand_over(std::function<void()> work);
  /// Called by a launcher: carries out work, or stores its failure, after which no more work is carried out.
  void carry_out(const std::function<void(Stream&)>& work);
  [[nodiscard]] FailurePtr failure() const;
  void fail(FailurePtr with);
  /// Calls f, and stores what it throws.
  template <typename F>
  auto watched(F&& f);
  [[nodiscard]] Launcher& launcher() const { return *team_->launchers[static_cast<std::size_t>(device())]; }
  [[nodiscard]] bool here_and_now() const { return team_->captures.load(std::memory_order_acquire) > 0; }

  std::shared_ptr<ThreadTeam> team_;
  std::unique_ptr<Stream> inner_;
  bool on_host_;
  bool began_capture_ = false;
  std::atomic<std::int64_t> pending_{0};  ///< handed over and not carried out
  mutable std::mutex mutex_;
  FailurePtr failure_;
};

}  // namespace halocline::device::threaded
