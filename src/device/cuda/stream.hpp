// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "device/backend.hpp"
#include "device/cuda/devices.hpp"

namespace halocline::device::cuda {

class CudaEvent final : public Event {
 public:
  CudaEvent(std::shared_ptr<Devices> devices, int device, Timing timing);
  ~CudaEvent() override;
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;

  [[nodiscard]] bool query() const override;
  [[nodiscard]] Duration since(const Event& earlier) const override;
  [[nodiscard]] const Devices& devices() const { return *devices_; }

 private:
  friend class CudaStream;
  /// Whether the mark was reached; only for marks that are not captured.
  [[nodiscard]] bool reached() const;

  std::shared_ptr<Devices> devices_;
  int device_;
  Timing timing_;
  cudaEvent_t event_ = nullptr;
  bool recorded_ = false;
  std::optional<std::uint64_t> capture_;  ///< in which the latest mark is
  bool own_capture_ = false;              ///< a stream of the backend began it
};

class CudaStream final : public Stream {
 public:
  CudaStream(std::shared_ptr<Devices> devices, int device, Priority priority, std::string_view name);
  /// Wraps a stream of the caller's, which must outlive this. Throws InvalidArgument if it is the legacy default
  /// stream, or a stream of another device.
  CudaStream(std::shared_ptr<Devices> devices, int device, cudaStream_t borrowed);
  ~CudaStream() override;
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  [[nodiscard]] int device() const override { return device_; }
  void copy(std::byte* target, const std::byte* source, std::size_t bytes) override;
  void copy(const StridedCopy& copy) override;
  void copy(const CopyList& list) override;
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
  [[nodiscard]] void* native() const override { return handle_; }

 private:
  [[nodiscard]] Device& on() const { return devices_->at(device_); }
  [[nodiscard]] CurrentDevice current() const { return CurrentDevice(on().context()); }
  struct Capture {
    std::uint64_t id = 0;
    cudaGraphNode_t before = nullptr;  ///< the node that the next operation follows; null if there are none or several
    bool operator==(const Capture&) const = default;  // a later capture may have its nodes at the same addresses
  };
  /// The capture that the stream is in.
  [[nodiscard]] std::optional<Capture> capture() const;
  void refuse_capture(const char* what) const;
  /// Whether an exchange may be launched before the preceding kernel has ended, because it waits for that itself.
  [[nodiscard]] bool may_start_early(const std::optional<Capture>& capture) const;
  void signal(std::uint64_t* epoch, bool advance, std::span<const FlagSignal> signals);

  std::shared_ptr<Devices> devices_;
  int device_;
  std::unique_ptr<OwnStream> own_;  ///< null if the stream is the caller's
  cudaStream_t handle_ = nullptr;
  std::optional<std::uint64_t> began_;  ///< the capture of which this stream is the origin
  std::optional<Capture> last_run_;     ///< behind the latest captured exchange
  std::optional<Capture> joined_;       ///< behind the latest captured wait for an event
  FailurePtr failure_;                  ///< once thrown
};

}  // namespace halocline::device::cuda
