// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/backend.hpp"

#include <fmt/format.h>
#include <nvtx3/nvToolsExt.h>

#include "core/wait_hook.hpp"
#include "device/cuda/backoff.hpp"
#include "device/cuda/copy_list.hpp"
#include "device/cuda/fused_exchange.hpp"
#include "device/cuda/memory.hpp"
#include "device/cuda/memory_info.hpp"
#include "device/cuda/reduction_list.hpp"
#include "device/cuda/room.hpp"
#include "device/cuda/stream.hpp"
#include "device/cuda/sum_list.hpp"
#include "device/cuda/trial.hpp"
#include "device/cuda/user_memory.hpp"
#include "device/cuda/word_reader.hpp"
#include "device/detail/exported.hpp"

namespace halocline::device::cuda {

std::unique_ptr<Buffer> CudaBackend::allocate(int device, std::size_t bytes) {
  return make_buffer(devices_, device, bytes);
}

std::unique_ptr<ShareableBuffer> CudaBackend::allocate_shareable(int device, std::size_t bytes) {
  return make_shareable(devices_, device, bytes);
}

std::unique_ptr<Buffer> CudaBackend::allocate_for_messages(int device, std::size_t bytes) {
  return make_legacy_shareable(devices_, device, bytes);
}

std::string CudaBackend::memory_export(int device) {
  (void)devices_->at(device);
  const Export chosen = devices_->exports().of(device);
  return chosen.why.empty() ? to_string(chosen.kind) : fmt::format("{} ({})", to_string(chosen.kind), chosen.why);
}

std::unique_ptr<Buffer> CudaBackend::allocate_pinned(std::size_t bytes) { return make_pinned(devices_, bytes); }

std::unique_ptr<Registration> CudaBackend::register_host(const std::byte* memory, std::size_t bytes) {
  return make_registration(devices_, memory, bytes);
}

std::unique_ptr<Mapping> CudaBackend::map(int device, const MemoryHandle& handle) {
  return map_range(device, {&handle, 1});
}

std::unique_ptr<Mapping> CudaBackend::map_range(int device, std::span<const MemoryHandle> pieces) {
  (void)devices_->at(device);
  std::vector<ExportedMemory> memory;
  for (const MemoryHandle& piece : pieces) memory.push_back(unpack<ExportedMemory>(piece));
  return make_mapping(devices_, device, memory);
}

ExportedRange CudaBackend::export_range(int device, const std::byte* first, std::size_t bytes) {
  const Device& owner = devices_->at(device);
  return export_user_memory(owner, describe_memory(*devices_, first).kind, first, bytes);
}

std::unique_ptr<Stream> CudaBackend::borrow_stream(int device, void* native) {
  (void)devices_->at(device);
  return std::make_unique<CudaStream>(devices_, device, static_cast<cudaStream_t>(native));
}

std::unique_ptr<Stream> CudaBackend::create_stream(int device, Priority priority, std::string_view name) {
  return std::make_unique<CudaStream>(devices_, device, priority, name);
}

std::unique_ptr<Event> CudaBackend::create_event(int device, Timing timing) {
  return std::make_unique<CudaEvent>(devices_, device, timing);
}

std::unique_ptr<CopyList> CudaBackend::prepare(int device, std::span<const StridedCopy> copies) {
  return std::make_unique<CudaCopyList>(devices_, device, copies, HeaderWrite{}, HeaderCheck{});
}

std::unique_ptr<CopyList> CudaBackend::prepare_packing(int device, std::span<const StridedCopy> copies,
                                                       const HeaderWrite& write) {
  return std::make_unique<CudaCopyList>(devices_, device, copies, write, HeaderCheck{});
}

std::unique_ptr<CopyList> CudaBackend::prepare_unpacking(int device, std::span<const StridedCopy> copies,
                                                         const HeaderCheck& check) {
  return std::make_unique<CudaCopyList>(devices_, device, copies, HeaderWrite{}, check);
}

std::unique_ptr<SumList> CudaBackend::prepare_sums(int device, std::span<const StridedSum> sums) {
  return std::make_unique<CudaSumList>(devices_, device, sums);
}

std::unique_ptr<ReductionList> CudaBackend::prepare_reductions(int device,
                                                               std::span<const StridedReduction> reductions) {
  return std::make_unique<CudaReductionList>(devices_, device, reductions);
}

std::unique_ptr<WordReader> CudaBackend::make_word_reader(int device, std::vector<const std::uint64_t*> words) {
  return std::make_unique<CudaWordReader>(devices_, device, std::move(words));
}

std::unique_ptr<FusedExchange> CudaBackend::fuse(int device, const FusedPlan& plan) {
  return std::make_unique<CudaFusedExchange>(devices_, device, plan);
}

std::unique_ptr<Room> CudaBackend::reserve_room(int device, int parts, int multiprocessors) {
  return make_room(devices_, device, parts, multiprocessors);
}

MemoryInfo CudaBackend::memory_at(const void* address) const { return describe_memory(*devices_, address); }

Verdict CudaBackend::peer_access(int from, int to) const {
  (void)devices_->at(from);
  (void)devices_->at(to);
  return devices_->peers().access(from, to);
}

Verdict CudaBackend::overlapping_launches() const {
  const std::lock_guard held(mutex_);
  if (!overlapping_) overlapping_ = try_overlapping_launches(devices_->at(0));
  return *overlapping_;
}

bool CudaBackend::wait_until(const std::function<bool()>& done, const Deadline& deadline) {
  Backoff backoff;
  WaitHook hook;
  while (!done()) {
    if (deadline.expired()) return false;
    // If a device has failed, this stops the others too, so that the work that is waited for ends.
    (void)devices_->failures().of(0);
    hook.poll();
    backoff.pause();
  }
  return true;
}

std::unique_ptr<Current> CudaBackend::make_current(int device) {
  class Scope final : public Current {
   public:
    explicit Scope(Context context) : current_(context) {}

   private:
    CurrentDevice current_;
  };
  const Context context = devices_->at(device).context();
  if (CurrentDevice::is(context)) return nullptr;
  return std::make_unique<Scope>(context);
}

void CudaBackend::push_range(const char* name) { nvtxRangePushA(name); }
void CudaBackend::pop_range() { nvtxRangePop(); }

}  // namespace halocline::device::cuda

namespace halocline::device {

std::shared_ptr<Backend> make_cuda_backend(const CudaOptions& options) {
  return std::make_shared<cuda::CudaBackend>(options);
}

}  // namespace halocline::device
