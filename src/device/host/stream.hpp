// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "device/host/memory.hpp"
#include "device/host/scheduler.hpp"
#include "device/host/strided_copy.hpp"

namespace halocline::device::host {

class HostEvent final : public Event {
 public:
  HostEvent(std::shared_ptr<Scheduler> scheduler, int device, Timing timing)
      : scheduler_(std::move(scheduler)), device_(device), timing_(timing) {}
  [[nodiscard]] bool query() const override;
  [[nodiscard]] Duration since(const Event& earlier) const override;
  [[nodiscard]] const Scheduler& scheduler() const { return *scheduler_; }

 private:
  friend class HostStream;
  std::shared_ptr<Scheduler> scheduler_;
  int device_;
  Timing timing_;
  MarkPtr mark_;  ///< the latest; null where never recorded. Belongs to the scheduler's mutex.
};

class HostCopyList final : public CopyList {
 public:
  HostCopyList(std::span<const StridedCopy> copies, HeaderWrite write, HeaderCheck check);
  [[nodiscard]] std::int64_t bytes() const override { return bytes_; }

 private:
  friend class HostStream;
  std::shared_ptr<const std::vector<RowCopy>> copies_;
  HeaderWrite write_;
  HeaderCheck check_;
  std::int64_t bytes_ = 0;
};

class HostStream final : public Stream {
 public:
  HostStream(std::shared_ptr<Scheduler> scheduler, std::shared_ptr<DoorbellMap> doorbells, int device,
             Priority priority);
  /// Drops what has not started, with a warning, and waits for what is running: it must not hang.
  ~HostStream() override;
  HostStream(const HostStream&) = delete;
  HostStream& operator=(const HostStream&) = delete;

  [[nodiscard]] int device() const override { return queue_->device; }
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
  void begin_capture() override;
  [[nodiscard]] std::unique_ptr<Graph> end_capture() override;
  [[nodiscard]] bool capturing() const override;
  void launch(Graph& graph) override;
  void raise_failure() override;
  [[nodiscard]] bool query() override;
  void synchronize() override;

  /// The operations that `enqueue` puts into this stream, for enqueue(); none of them is run now.
  [[nodiscard]] std::vector<Item> prepare(const std::function<void()>& enqueue);
  void enqueue(Item item);

 private:
  void run(Operation kind, std::function<void()> function);
  [[nodiscard]] std::vector<std::shared_ptr<Doorbell>> doorbells_of(std::span<const FlagSignal> signals) const;

  std::shared_ptr<Scheduler> scheduler_;
  std::shared_ptr<DoorbellMap> doorbells_;
  std::shared_ptr<Queue> queue_;
};

}  // namespace halocline::device::host
