// SPDX-License-Identifier: BSD-3-Clause
#include "device/host/backend.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <thread>
#include <utility>

#include "device/detail/exported.hpp"
#include "device/detail/process.hpp"
#include "device/host/fused_exchange.hpp"
#include "device/host/stream.hpp"
#include "device/host/strided_reduction.hpp"
#include "device/host/strided_sum.hpp"
#include "device/memory_account.hpp"
#include "halocline/error.hpp"

namespace halocline::device::host {
namespace {

std::string next_uuid_stem() {
  static std::atomic<int> backends{0};
  return fmt::format("host-{:016x}-{}", process_identity(), backends.fetch_add(1));
}

std::size_t physical_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page) : 0;
}

const HostOptions& checked(const HostOptions& options) {
  if (options.devices < 1) throw InvalidArgument(fmt::format("devices is {}; allowed is 1 or more", options.devices));
  if (options.workers < 0) throw InvalidArgument(fmt::format("workers is {}; allowed is 0 or more", options.workers));
  if (options.ranks_on_node < 1) {
    throw InvalidArgument(fmt::format("ranks_on_node is {}; allowed is 1 or more", options.ranks_on_node));
  }
  if (options.sector_bytes < 1 || options.sector_bytes > 64 ||
      (options.sector_bytes & (options.sector_bytes - 1)) != 0) {
    throw InvalidArgument(
        fmt::format("sector_bytes is {}; allowed are powers of two from 1 to 64", options.sector_bytes));
  }
  if (options.clock == nullptr) throw InvalidArgument("the clock is null");
  return options;
}

/// A second thread pays where a function of each device, one after the other, takes longer (decision 0095).
constexpr Duration short_for_all = std::chrono::microseconds(200);

Scheduler::Workers workers(const HostOptions& options) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  const int own = std::max(1, std::min(options.devices, cores / options.ranks_on_node));
  return {.count = options.workers > 0 ? options.workers : own,
          .own_cores = options.workers > 0 || cores > options.ranks_on_node,
          .short_function = short_for_all / options.devices};
}

std::int64_t one_operation_below(const HostOptions& options) {
  constexpr std::int64_t copied_before_another_wakes = 256 << 10;
  if (options.one_operation_below_bytes) return *options.one_operation_below_bytes;
  return workers(options).own_cores ? copied_before_another_wakes : std::numeric_limits<std::int64_t>::max();
}

/// Allocations and mappings are not in a stream: the injector's delay or failure happens in the call.
void inject(const Scheduler& scheduler, Operation operation, int device, ErrorKind kind) {
  const Injection injection = scheduler.injection(operation, device);
  if (injection.failure) throw_error(kind, *injection.failure);
}

}  // namespace

HostBackend::HostBackend(const HostOptions& options)
    : options_(checked(options)),
      uuid_stem_(next_uuid_stem()),
      machine_bytes_(physical_memory()),
      scheduler_(std::make_shared<Scheduler>(*options.clock, options.injector)),
      doorbells_(std::make_shared<DoorbellMap>(scheduler_->doorbell())) {
  scheduler_->start_workers(workers(options));
}

HostBackend::~HostBackend() { scheduler_->stop_workers(); }

DeviceInfo HostBackend::info(int device) const {
  check(device);
  return {fmt::format("host device {}", device), fmt::format("{}-{}", uuid_stem_, device),
          static_cast<std::int64_t>(machine_bytes_) / options_.devices, -1};
}

std::unique_ptr<Buffer> HostBackend::allocate(int device, std::size_t bytes) {
  check(device);
  inject(*scheduler_, Operation::allocate, device, ErrorKind::resource);
  check_size(bytes);
  return make_device_buffer(device, bytes);
}

std::unique_ptr<ShareableBuffer> HostBackend::allocate_shareable(int device, std::size_t bytes) {
  check(device);
  inject(*scheduler_, Operation::allocate, device, ErrorKind::resource);
  check_size(bytes);
  // The scheduler, not this: a buffer may be exported for as long as it lives.
  return make_shareable(device, bytes, scheduler_->doorbell(), info(device).uuid, [scheduler = scheduler_, device] {
    inject(*scheduler, Operation::export_memory, device, ErrorKind::capability);
  });
}

std::unique_ptr<Buffer> HostBackend::allocate_pinned(std::size_t bytes) {
  inject(*scheduler_, Operation::allocate, -1, ErrorKind::resource);
  check_size(bytes);
  return make_buffer(pinned_host, bytes);
}

std::unique_ptr<Registration> HostBackend::register_host(const std::byte* memory, std::size_t bytes) {
  if (memory == nullptr && bytes != 0) throw InvalidArgument(fmt::format("the {} bytes to register are null", bytes));
  return std::make_unique<Registration>();  // host devices reach all host memory
}

std::unique_ptr<Mapping> HostBackend::map(int device, const MemoryHandle& handle) {
  check(device);
  const ExportedMemory memory = unpack<ExportedMemory>(handle);
  inject(*scheduler_, Operation::map_memory, device, ErrorKind::capability);
  const std::string exporter = memory.uuid.data();
  const bool own = exporter.rfind(uuid_stem_ + "-", 0) == 0;
  if (!own && options_.mapping && !options_.mapping(device, exporter)) {
    throw CapabilityError(fmt::format("host device {} may not map memory of {}: the mapping option says no",
                                      info(device).uuid, exporter));
  }
  return make_mapping(memory, doorbells_, options_.always_remap);
}

std::unique_ptr<Stream> HostBackend::create_stream(int device, Priority priority, std::string_view /*name*/) {
  check(device);
  return std::make_unique<HostStream>(scheduler_, doorbells_, device, priority);
}

std::unique_ptr<Event> HostBackend::create_event(int device, Timing timing) {
  check(device);
  return std::make_unique<HostEvent>(scheduler_, device, timing);
}

std::unique_ptr<CopyList> HostBackend::prepare(int device, std::span<const StridedCopy> copies) {
  check(device);
  return std::make_unique<HostCopyList>(copies, HeaderWrite{}, HeaderCheck{});
}

std::unique_ptr<CopyList> HostBackend::prepare_packing(int device, std::span<const StridedCopy> copies,
                                                       const HeaderWrite& write) {
  check(device);
  return std::make_unique<HostCopyList>(copies, write, HeaderCheck{});
}

std::unique_ptr<CopyList> HostBackend::prepare_unpacking(int device, std::span<const StridedCopy> copies,
                                                         const HeaderCheck& check) {
  this->check(device);
  return std::make_unique<HostCopyList>(copies, HeaderWrite{}, check);
}

std::unique_ptr<SumList> HostBackend::prepare_sums(int device, std::span<const StridedSum> sums) {
  check(device);
  return std::make_unique<HostSumList>(sums);
}

std::unique_ptr<ReductionList> HostBackend::prepare_reductions(int device,
                                                               std::span<const StridedReduction> reductions) {
  check(device);
  return std::make_unique<HostReductionList>(reductions);
}

std::unique_ptr<FusedExchange> HostBackend::fuse(int device, const FusedPlan& plan) {
  check(device);
  return std::make_unique<HostFusedExchange>(*this, scheduler_, device, plan, one_operation_below(options_));
}

std::unique_ptr<Room> HostBackend::reserve_room(int device, int /*parts*/, int /*multiprocessors*/) {
  check(device);
  return nullptr;  // what waits parks its queue, and no worker waits
}

MemoryInfo HostBackend::memory_at(const void* /*address*/) const { return {}; }

Verdict HostBackend::peer_access(int from, int to) const {
  check(from);
  check(to);
  if (from == to || !options_.peer_access || options_.peer_access(from, to)) return Verdict::of(true);
  return {false, fmt::format("the peer-access option says no from host device {} to {}", from, to)};
}

void HostBackend::signal_from_host(std::span<const FlagSignal> signals, std::uint64_t epoch) {
  Backend::signal_from_host(signals, epoch);
  for (const FlagSignal& signal : signals) doorbells_->of(&signal.of(epoch))->ring();
}

bool HostBackend::wait_until(const std::function<bool()>& done, const Deadline& deadline) {
  return scheduler_->help(done, deadline, false);
}

void HostBackend::check(int device) const {
  if (device >= 0 && device < options_.devices) return;
  throw InvalidArgument(fmt::format("device is {}; allowed is 0 to {}", device, options_.devices - 1));
}

/// The kernel would first grant more than there is, and then kill the process that uses it.
void HostBackend::check_size(std::size_t bytes) const {
  if (machine_bytes_ == 0 || bytes <= machine_bytes_) return;
  throw ResourceError(fmt::format("cannot allocate {} bytes: the machine has {}", bytes, machine_bytes_));
}

}  // namespace halocline::device::host

namespace halocline::device {

std::shared_ptr<Backend> make_host_backend(const HostOptions& options) {
  return std::make_shared<host::HostBackend>(options);
}

}  // namespace halocline::device
