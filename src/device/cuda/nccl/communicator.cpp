// SPDX-License-Identifier: BSD-3-Clause
// Communicators of NCCL. Its calls that wait for other processes run in a thread of their own, which is left behind if it is late.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <future>
#include <thread>
#include <utility>

#include "core/clock.hpp"
#include "core/leak.hpp"
#include "device/backend.hpp"
#include "device/cuda/memory.hpp"
#include "device/cuda/nccl/library.hpp"
#include "device/cuda/nccl/nccl.hpp"
#include "device/cuda/runtime.hpp"
#include "device/memory_account.hpp"
#include "halocline/error.hpp"

namespace halocline::device::cuda {
namespace {

const NcclLibrary& nccl() { return NcclLibrary::instance(); }

/// Of a communicator whose peers leave it at the same time.
constexpr Duration longest_leave = std::chrono::seconds(10);

/// Runs work, which shares what it needs. Throws its error, or DeadlineError.
void within(Duration timeout, const char* what, std::function<void()> work) {
  std::packaged_task<void()> task(std::move(work));
  std::future<void> result = task.get_future();
  std::thread thread(std::move(task));
  if (result.wait_for(timeout) != std::future_status::ready) {
    thread.detach();
    throw DeadlineError(
        fmt::format("{} has not ended within {} s", what, std::chrono::duration<double>(timeout).count()));
  }
  thread.join();
  result.get();
}

/// For calls that only launch. One that takes longer waits for a device that waits for a peer, which only an abort ends.
constexpr Duration longest_call = std::chrono::seconds(1);

/// A device's communicator.
struct Handle {
  Context context;
  int device = 0;
  const Device* on = nullptr;  ///< as long as the backend is there
  ncclComm_t comm = nullptr;
  std::atomic<bool> aborted{false};
  std::atomic<int> calls{0};  ///< under way
};

/// A call of NCCL with a communicator, by any thread but its abort's: the abort frees the communicator, and waits for calls that have
/// found it usable.
class Call {
 public:
  explicit Call(Handle& handle) : handle_(&handle) { ++handle.calls; }
  ~Call() { --handle_->calls; }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  [[nodiscard]] bool usable() const { return !handle_->aborted; }

 private:
  Handle* handle_;
};

/// Memory of NCCL, known to a communicator so that peers move data from and to it directly.
class Registered final : public Buffer {
 public:
  Registered(std::shared_ptr<Handle> handle, std::size_t bytes)
      : handle_(std::move(handle)), bytes_(bytes), counted_(handle_->device, bytes) {
    const CurrentDevice current(handle_->context);
    const CaptureAside aside;
    const ncclResult_t status = nccl().allocate(&memory_, bytes);
    if (status != ncclSuccess) {
      (void)cudaGetLastError();
      throw ResourceError(fmt::format("cannot allocate {} bytes on device {} for NCCL: {}", bytes, handle_->device,
                                      nccl().error_string(status)));
    }
    try {
      // Not behind work of the user's streams: an exchange may use the memory from now on.
      fill_with_zeros(*handle_->on, static_cast<std::byte*>(memory_), bytes);
      nccl().check(nccl().register_memory(handle_->comm, memory_, bytes, &registration_), "ncclCommRegister");
    } catch (...) {
      (void)nccl().free(memory_);
      throw;
    }
  }
  /// After an abort peers may still access the memory: it is kept.
  ~Registered() override {
    const Call call(*handle_);
    if (!call.usable()) return;
    const CurrentDevice current(handle_->context, std::nothrow);
    const CaptureAside aside;
    if (registration_ != nullptr) (void)nccl().deregister_memory(handle_->comm, registration_);
    (void)nccl().free(memory_);
  }
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;
  [[nodiscard]] std::byte* data() const override { return static_cast<std::byte*>(memory_); }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }

 private:
  std::shared_ptr<Handle> handle_;
  void* memory_ = nullptr;
  void* registration_ = nullptr;
  std::size_t bytes_;
  CountedBytes counted_;
};

class NcclCommunicator final : public Communicator {
 public:
  explicit NcclCommunicator(std::shared_ptr<Handle> handle) : handle_(std::move(handle)) {}
  ~NcclCommunicator() override {
    if (handle_->aborted) return;
    try {
      within(longest_leave, "ncclCommDestroy", [handle = handle_] {
        const CurrentDevice current(handle->context, std::nothrow);
        (void)nccl().destroy(handle->comm);
      });
    } catch (const std::exception& error) {
      log_leak(fmt::format("a communicator of NCCL is leaked: {}", error.what()));
    }
  }
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;

  std::unique_ptr<Buffer> allocate(std::size_t bytes) override { return std::make_unique<Registered>(handle_, bytes); }

  void exchange(std::span<const Transfer> sends, std::span<const Transfer> receives, Stream& stream) override {
    stream.enqueue([handle = handle_, sends = std::vector(sends.begin(), sends.end()),
                    receives = std::vector(receives.begin(), receives.end())](Stream& in) {
      in.raise_failure();
      const Call call(*handle);
      if (!call.usable()) throw CommunicationError("the communicator of NCCL was aborted");
      const CurrentDevice current(handle->context);
      group([&] {
        auto* const native = static_cast<cudaStream_t>(in.native());
        for (const Transfer& send : sends) {
          nccl().check(nccl().send(send.memory, send.bytes, ncclInt8, send.peer, handle->comm, native), "ncclSend");
        }
        for (const Transfer& receive : receives) {
          nccl().check(nccl().receive(receive.memory, receive.bytes, ncclInt8, receive.peer, handle->comm, native),
                       "ncclRecv");
        }
      });
    });
  }

  [[nodiscard]] bool needs_watch() const override { return true; }
  void check() override {
    if (handle_->aborted) return;
    ncclResult_t state = ncclSuccess;
    nccl().check(nccl().get_async_error(handle_->comm, &state), "ncclCommGetAsyncError");
    nccl().check(state, "NCCL");
  }
  /// May take long, or for ever: nobody waits for it.
  void abort() noexcept override {
    if (handle_->aborted.exchange(true)) return;
    try {
      std::thread([handle = handle_] {
        const Deadline patience(Clock::steady(), longest_call);
        while (handle->calls > 0 && !patience.expired()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        const CurrentDevice current(handle->context, std::nothrow);
        (void)nccl().abort(handle->comm);
      }).detach();
    } catch (const std::exception&) {  // no thread: its operations end with the process
    }
  }

  template <typename Calls>
  static void group(Calls&& calls) {
    nccl().check(nccl().group_start(), "ncclGroupStart");
    try {
      calls();
    } catch (...) {
      (void)nccl().group_end();
      throw;
    }
    nccl().check(nccl().group_end(), "ncclGroupEnd");
  }

 private:
  std::shared_ptr<Handle> handle_;
};

/// The set-up of a process's members.
struct Joining {
  std::shared_ptr<Devices> devices;
  CommunicatorSetup setup;
  std::vector<std::shared_ptr<Handle>> handles;

  void run() {
    ncclUniqueId id;
    static_assert(sizeof id.internal == sizeof setup.id.blob);
    std::memcpy(id.internal, setup.id.blob.data(), sizeof id.internal);
    NcclCommunicator::group([&] {
      for (std::size_t i = 0; i < handles.size(); ++i) {
        const CurrentDevice current(handles[i]->context);
        nccl().check(nccl().init_rank(&handles[i]->comm, setup.size, id, setup.members[i].number), "ncclCommInitRank");
      }
    });
    connect();
  }

  /// NCCL connects two members when they first exchange something, and blocks the thread until both have come. With this done for all,
  /// later calls only launch.
  void connect() {
    std::vector<std::unique_ptr<Buffer>> sent, received;
    for (std::size_t i = 0; i < handles.size(); ++i) {
      const std::size_t peers = setup.members[i].peers.size();
      // Not registered: memory at an address that was registered before is not told apart (NCCL 2.28.9: wrong data, or a hang).
      sent.push_back(make_buffer(devices, handles[i]->device, sizeof(int)));
      received.push_back(make_buffer(devices, handles[i]->device, std::max<std::size_t>(peers, 1) * sizeof(int)));
      const CurrentDevice current(handles[i]->context);
      check(cudaMemcpyAsync(sent[i]->data(), &setup.members[i].number, sizeof(int), cudaMemcpyHostToDevice,
                            handles[i]->on->aside()),
            "cudaMemcpyAsync");
    }
    NcclCommunicator::group([&] {
      for (std::size_t i = 0; i < handles.size(); ++i) {
        const CurrentDevice current(handles[i]->context);
        std::byte* to = received[i]->data();
        for (const int peer : setup.members[i].peers) {
          nccl().check(
              nccl().send(sent[i]->data(), sizeof(int), ncclInt8, peer, handles[i]->comm, handles[i]->on->aside()),
              "ncclSend");
          nccl().check(nccl().receive(to, sizeof(int), ncclInt8, peer, handles[i]->comm, handles[i]->on->aside()),
                       "ncclRecv");
          to += sizeof(int);
        }
      }
    });
    for (std::size_t i = 0; i < handles.size(); ++i) {
      const CurrentDevice current(handles[i]->context);
      std::vector<int> seen(setup.members[i].peers.size());
      check(cudaMemcpyAsync(seen.data(), received[i]->data(), seen.size() * sizeof(int), cudaMemcpyDeviceToHost,
                            handles[i]->on->aside()),
            "cudaMemcpyAsync");
      check(cudaStreamSynchronize(handles[i]->on->aside()), "cudaStreamSynchronize");
      if (seen != setup.members[i].peers) throw CommunicationError("NCCL has delivered other data than were sent");
    }
  }
};

}  // namespace

CommunicatorId make_nccl_id() {
  if (!nccl_usable().yes) throw CapabilityError(nccl_usable().why_not);
  ncclUniqueId id;
  nccl().check(nccl().get_unique_id(&id), "ncclGetUniqueId");
  CommunicatorId made;
  static_assert(sizeof id.internal == sizeof made.blob);
  std::memcpy(made.blob.data(), id.internal, sizeof id.internal);
  return made;
}

std::vector<std::unique_ptr<Communicator>> join_nccl(std::shared_ptr<Devices> devices, const CommunicatorSetup& setup) {
  if (!nccl_usable().yes) throw CapabilityError(nccl_usable().why_not);
  auto joining = std::make_shared<Joining>();
  joining->setup = setup;
  for (const CommunicatorMember& member : setup.members) {
    auto handle = std::make_shared<Handle>();
    handle->on = &devices->at(member.device);
    handle->context = handle->on->context();
    handle->device = member.device;
    joining->handles.push_back(std::move(handle));
  }
  joining->devices = std::move(devices);
  within(setup.timeout, "the set-up of NCCL", [joining] { joining->run(); });
  std::vector<std::unique_ptr<Communicator>> joined;
  for (const auto& handle : joining->handles) joined.push_back(std::make_unique<NcclCommunicator>(handle));
  return joined;
}

}  // namespace halocline::device::cuda
