// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/pool_import.hpp"

#include <cstdint>
#include <cstring>
#include <mutex>
#include <utility>

#include "core/foreign_descriptor.hpp"
#include "core/shared_values.hpp"
#include "device/cuda/runtime.hpp"

namespace halocline::device::cuda {

/// cudaMemPoolImportFromShareableHandle and cudaMemPoolDestroy.
class ImportedPool {
 public:
  ImportedPool(Context context, const DescriptorHandle& owner) : context_(context) {
    const CurrentDevice current(context_);
    const CaptureAside aside;
    const OwnDescriptor taken = take_descriptor(owner);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the runtime takes a descriptor in place of a pointer
    void* const handle = reinterpret_cast<void*>(static_cast<std::intptr_t>(taken.get()));
    check(cudaMemPoolImportFromShareableHandle(&pool_, handle, cudaMemHandleTypePosixFileDescriptor, 0),
          "cudaMemPoolImportFromShareableHandle");
  }
  ~ImportedPool() {
    const CurrentDevice current(context_, std::nothrow);
    const CaptureAside aside;
    log_failure(cudaMemPoolDestroy(pool_), "cudaMemPoolDestroy");
  }
  ImportedPool(const ImportedPool&) = delete;
  ImportedPool& operator=(const ImportedPool&) = delete;

  void allow(int cuda_ordinal) const {
    cudaMemAccessDesc access{};
    access.location.type = cudaMemLocationTypeDevice;
    access.location.id = cuda_ordinal;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    check(cudaMemPoolSetAccess(pool_, &access, 1), "cudaMemPoolSetAccess");
  }
  [[nodiscard]] cudaMemPool_t get() const { return pool_; }
  /// Memory by its address in the exporter.
  SharedValues<std::uint64_t, PooledMemory> imported;

 private:
  Context context_;
  cudaMemPool_t pool_ = nullptr;
};

PooledMemory::PooledMemory(std::shared_ptr<ImportedPool> pool, Context context, const ExportedMemory& memory)
    : pool_(std::move(pool)), context_(context) {
  cudaMemPoolPtrExportData data{};
  static_assert(sizeof data == sizeof memory.handle);
  std::memcpy(&data, memory.handle.data(), sizeof data);
  check(cudaMemPoolImportPointer(&data_, pool_->get(), &data), "cudaMemPoolImportPointer");
}

PooledMemory::~PooledMemory() {
  const CurrentDevice current(context_, std::nothrow);
  const CaptureAside aside;
  log_failure(cudaFree(data_), "cudaFree");
}

std::shared_ptr<PooledMemory> import_from_pool(const Device& device, const ExportedMemory& memory) {
  using Exporter = std::pair<std::uint64_t, std::uint64_t>;  // process and pool
  static std::mutex mutex;
  static SharedValues<Exporter, ImportedPool> pools;
  const std::lock_guard held(mutex);
  const CurrentDevice current(device.context());
  const CaptureAside aside;
  const std::shared_ptr<ImportedPool> pool = pools.get(
      {memory.process, memory.pool}, [&] { return std::make_shared<ImportedPool>(device.context(), memory.owner); });
  pool->allow(device.ordinal());
  return pool->imported.get(memory.address,
                            [&] { return std::make_shared<PooledMemory>(pool, device.context(), memory); });
}

}  // namespace halocline::device::cuda
