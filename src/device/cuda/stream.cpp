// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/stream.hpp"

#include <fmt/format.h>
#include <nvtx3/nvToolsExtCudaRt.h>

#include <string>
#include <utility>

#include "core/wait_hook.hpp"
#include "device/cuda/backoff.hpp"
#include "device/cuda/copy_list.hpp"
#include "device/cuda/fused_exchange.hpp"
#include "device/cuda/graph.hpp"
#include "device/cuda/host_call.hpp"
#include "device/cuda/kernels.hpp"
#include "device/cuda/own.hpp"
#include "device/cuda/reduction_list.hpp"
#include "device/cuda/sum_list.hpp"

namespace halocline::device::cuda {
namespace {

/// How long synchronize() waits for the work of a failed stream to end, so that nothing runs any more when it throws.
constexpr auto longest_grace = std::chrono::seconds(1);

}  // namespace

CudaStream::CudaStream(std::shared_ptr<Devices> devices, int device, Priority priority, std::string_view name)
    : devices_(std::move(devices)), device_(device) {
  const CurrentDevice current(on().context());
  own_ = std::make_unique<OwnStream>(priority);
  handle_ = own_->get();
  if (!name.empty()) nvtxNameCudaStreamA(handle_, std::string(name).c_str());
  devices_->work().add(device_, handle_);
}

CudaStream::CudaStream(std::shared_ptr<Devices> devices, int device, cudaStream_t borrowed)
    : devices_(std::move(devices)), device_(device), handle_(borrowed) {
  // Blocking streams and the legacy stream wait for each other's work, so exchanges in them would wait for each other.
  if (borrowed == nullptr || borrowed == cudaStreamLegacy) {
    throw InvalidArgument(
        "the stream is the legacy default stream; allowed are streams that were created, and cudaStreamPerThread");
  }
  // An event is recorded in streams of its own device only.
  const CurrentDevice now = current();
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate");
  const cudaError_t recorded = cudaEventRecord(event, borrowed);
  log_failure(cudaEventDestroy(event), "cudaEventDestroy");
  if (recorded == cudaErrorInvalidResourceHandle) {
    (void)cudaGetLastError();
    throw InvalidArgument(fmt::format(
        "the stream is not one of CUDA's device {}; allowed are those of the given device", on().ordinal()));
  }
  check(recorded, "cudaEventRecord");
  devices_->work().add(device_, handle_);
}

CudaStream::~CudaStream() {
  const CurrentDevice now(on().context(), std::nothrow);
  const CaptureAside aside;
  if (began_) devices_->captures().end(*began_);
  devices_->work().remove(device_, handle_);
  own_.reset();
}

void CudaStream::raise_failure() {
  if (failure_ == nullptr) failure_ = devices_->failures().of(device_);
  if (failure_ != nullptr) raise(*failure_);
}

void CudaStream::copy(std::byte* target, const std::byte* source, std::size_t bytes) {
  if (bytes != 0 && (target == nullptr || source == nullptr)) {
    throw InvalidArgument(
        fmt::format("the {} of a copy of {} bytes is null", target == nullptr ? "target" : "source", bytes));
  }
  raise_failure();
  if (bytes == 0) return;
  const CurrentDevice now = current();
  check(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDefault, handle_), "cudaMemcpyAsync");
}

void CudaStream::copy(const StridedCopy& copy) {
  const std::vector<CopyTask> tasks = plan_tasks({&copy, 1});
  raise_failure();
  const CurrentDevice now = current();
  for (const CopyTask& task : tasks) {
    const Tiling tiling = tiling_of(task);
    check(launch_copy(handle_, on().board().get(), task, tiling, on().copy_blocks(tiling.count())), "launching a copy");
  }
}

void CudaStream::copy(const CopyList& list) {
  const auto& mine = own<const CudaCopyList>(list, devices_.get(), "list of copies");
  if (mine.device() != device_) {
    throw InvalidArgument(fmt::format("the list of copies was prepared for device {}; allowed is the stream's, {}",
                                      mine.device(), device_));
  }
  raise_failure();
  const CopyTable& table = mine.table();
  if (table.is_empty()) return;
  const CurrentDevice now = current();
  check(launch_copies(handle_, on().board().get(), table, on().copy_blocks(table.tile_count)),
        "launching a list of copies");
}

void CudaStream::add(const SumList& list) {
  const auto& mine = own<const CudaSumList>(list, devices_.get(), "list of sums");
  if (mine.device() != device_) {
    throw InvalidArgument(fmt::format("the list of sums was prepared for device {}; allowed is the stream's, {}",
                                      mine.device(), device_));
  }
  raise_failure();
  const CurrentDevice now = current();
  for (const SumTable& table : mine.tables()) {
    check(launch_sums(handle_, on().board().get(), table, on().copy_blocks(table.tile_count)),
          "launching a list of sums");
  }
}

void CudaStream::reduce(const ReductionList& list) {
  const auto& mine = own<const CudaReductionList>(list, devices_.get(), "list of reductions");
  if (mine.device() != device_) {
    throw InvalidArgument(fmt::format("the list of reductions was prepared for device {}; allowed is the stream's, {}",
                                      mine.device(), device_));
  }
  raise_failure();
  if (mine.table().output_count == 0) return;
  const CurrentDevice now = current();
  check(launch_reductions(handle_, on().board().get(), mine.table()), "launching a list of reductions");
}

void CudaStream::run(FusedExchange& exchange, std::uint64_t* stamps) {
  const auto& mine = own<const CudaFusedExchange>(exchange, devices_.get(), "fused exchange");
  if (mine.device() != device_) {
    throw InvalidArgument(fmt::format("the fused exchange was prepared for device {}; allowed is the stream's, {}",
                                      mine.device(), device_));
  }
  raise_failure();
  const CurrentDevice now = current();
  const std::optional<Capture> capture_now = capture();
  check(launch_fused(handle_, mine.table(stamps), mine.workers(), may_start_early(capture_now)),
        "launching an exchange");
  last_run_ = capture_now ? capture() : std::nullopt;
}

void CudaStream::launch(const Box& /*box*/, std::function<void(const Box&)> /*body*/) {
  throw CapabilityError(
      "a function of the host cannot run on a GPU: launch your kernel on the stream's native() handle instead");
}

void CudaStream::host_function(std::function<void()> function) {
  raise_failure();
  const CurrentDevice now = current();
  launch_host_call(handle_, devices_->failures(), device_, std::move(function));
  // If the function throws, the work after it must not run.
  check(launch_follow(handle_, on().board().get(), on().board().records()), "launching behind a host function");
}

void CudaStream::record(Event& event) {
  CudaEvent& mine = own<CudaEvent>(event, devices_.get(), "event");
  if (mine.device_ != device_) {
    throw InvalidArgument(
        fmt::format("the event belongs to device {}; allowed is the stream's, {}", mine.device_, device_));
  }
  raise_failure();
  const std::optional<Capture> capture_now = capture();
  const CurrentDevice now = current();
  check(cudaEventRecord(mine.event_, handle_), "cudaEventRecord");
  mine.recorded_ = true;
  mine.capture_.reset();
  if (capture_now) mine.capture_ = capture_now->id;
  mine.own_capture_ = capture_now && devices_->captures().under_way(capture_now->id);
}

void CudaStream::wait(const Event& event) {
  const CudaEvent& mine = own<const CudaEvent>(event, devices_.get(), "event");
  raise_failure();
  if (!mine.recorded_) return;
  const std::optional<Capture> capture_now = capture();
  if (mine.capture_) {
    if (mine.own_capture_ && !devices_->captures().under_way(*mine.capture_)) {
      throw InternalError("the event was last recorded in a capture that has ended");
    }
    if (capture_now && capture_now->id != mine.capture_) {
      throw InternalError("a captured stream cannot wait for an event of another capture");
    }
  } else if (capture_now) {
    if (mine.reached()) return;
    throw InternalError(
        "a captured stream cannot wait for an event that was recorded outside the capture and is not complete");
  }
  const CurrentDevice now = current();
  check(cudaStreamWaitEvent(handle_, mine.event_, 0), "cudaStreamWaitEvent");
  joined_ = capture();  // also where the stream joins a capture by this wait
  if (!devices_->peers().stops(mine.device_, device_)) {
    check(launch_follow(handle_, on().board().get(), devices_->at(mine.device_).board().records()),
          "launching behind an event of another device");
  }
}

void CudaStream::launch(Graph& graph) {
  const CudaGraph& mine = own<CudaGraph>(graph, devices_.get(), "graph");
  if (capture()) throw CapabilityError("a graph cannot be launched by a stream that is being captured");
  raise_failure();
  const CurrentDevice now = current();
  check(cudaGraphLaunch(mine.get(), handle_), "cudaGraphLaunch");
}

bool CudaStream::query() {
  refuse_capture("query");
  const CurrentDevice now = current();
  const CaptureAside aside;
  const bool done = is_done(cudaStreamQuery(handle_), "cudaStreamQuery");
  // Read after the query above: a failure is published before the failed work counts as done.
  raise_failure();
  return done;
}

void CudaStream::synchronize() {
  refuse_capture("synchronize");
  const CurrentDevice now = current();
  const CaptureAside aside;
  Backoff backoff;
  WaitHook hook;
  std::optional<Deadline> grace;
  while (!is_done(cudaStreamQuery(handle_), "cudaStreamQuery")) {
    if (!grace && devices_->failures().of(device_) != nullptr) grace.emplace(Clock::steady(), longest_grace);
    if (grace && grace->expired()) break;
    hook.poll();
    backoff.pause();
  }
  raise_failure();
}

}  // namespace halocline::device::cuda
