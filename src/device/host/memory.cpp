// SPDX-License-Identifier: BSD-3-Clause
#include "device/host/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include "device/detail/exported.hpp"
#include "device/detail/process.hpp"
#include "device/host/profiled.hpp"
#include "device/memory_account.hpp"
#include "halocline/error.hpp"

namespace halocline::device::host {
namespace {

constexpr std::align_val_t alignment{128};

class PlainBuffer : public Buffer {
 public:
  PlainBuffer(int device, std::size_t bytes) : bytes_(bytes), counted_(device, bytes) {
    data_ = static_cast<std::byte*>(::operator new(std::max<std::size_t>(bytes, 1), alignment, std::nothrow));
    if (data_ == nullptr) throw ResourceError(fmt::format("cannot allocate {} bytes of host memory", bytes));
  }
  ~PlainBuffer() override { ::operator delete(data_, alignment); }
  PlainBuffer(const PlainBuffer&) = delete;
  PlainBuffer& operator=(const PlainBuffer&) = delete;
  [[nodiscard]] std::byte* data() const override { return data_; }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }

 private:
  std::byte* data_;
  std::size_t bytes_;
  CountedBytes counted_;
};

class DeviceBuffer final : public PlainBuffer {
 public:
  DeviceBuffer(int device, std::size_t bytes) : PlainBuffer(device, bytes), range_(data(), bytes) {}

 private:
  ProfiledRange range_;
};

class FileBuffer final : public ShareableBuffer {
 public:
  FileBuffer(int device, std::size_t bytes, std::shared_ptr<Doorbell> doorbell, const std::string& uuid,
             std::function<void()> before_export)
      : file_(std::max<std::size_t>(bytes, 1)),
        bytes_(bytes),
        doorbell_(std::move(doorbell)),
        uuid_(uuid),
        before_export_(std::move(before_export)),
        range_(file_.data(), bytes),
        counted_(device, bytes) {}
  [[nodiscard]] std::byte* data() const override { return file_.data(); }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }
  [[nodiscard]] MemoryHandle handle() const override {
    before_export_();
    ExportedMemory memory;
    memory.process = process_identity();
    memory.address = reinterpret_cast<std::uintptr_t>(file_.data());
    memory.bytes = bytes_;
    memory.memory = file_.handle();
    memory.doorbell = doorbell_->handle();
    std::copy_n(uuid_.begin(), std::min(uuid_.size(), memory.uuid.size() - 1), memory.uuid.begin());
    return pack(memory);
  }

 private:
  AnonymousFile file_;
  std::size_t bytes_;
  std::shared_ptr<Doorbell> doorbell_;  ///< must be open for as long as others may map it
  std::string uuid_;
  std::function<void()> before_export_;
  ProfiledRange range_;
  CountedBytes counted_;
};

class HostMapping final : public Mapping {
 public:
  HostMapping(const ExportedMemory& memory, std::shared_ptr<DoorbellMap> doorbells, bool same_process)
      : bytes_(memory.bytes), doorbells_(std::move(doorbells)) {
    if (same_process) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): it was a pointer of this process
      data_ = reinterpret_cast<std::byte*>(memory.address);
    } else {
      file_ = AnonymousFile::open(memory.memory);
      data_ = file_->data();
    }
    range_ = doorbells_->add(data_, bytes_, doorbells_->open(memory.doorbell));
  }
  ~HostMapping() override { doorbells_->remove(range_); }
  HostMapping(const HostMapping&) = delete;
  HostMapping& operator=(const HostMapping&) = delete;
  [[nodiscard]] std::byte* data() const override { return data_; }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_;
  std::shared_ptr<DoorbellMap> doorbells_;
  std::optional<AnonymousFile> file_;
  DoorbellMap::Ranges::iterator range_;
};

}  // namespace

std::shared_ptr<Doorbell> DoorbellMap::open(const AnonymousFileHandle& handle) {
  const AnonymousFileHandle own = own_->handle();
  if (own.device == handle.device && own.inode == handle.inode) return own_;
  const std::lock_guard held(mutex_);
  return opened_.get({handle.device, handle.inode}, [&] { return std::make_shared<Doorbell>(handle); });
}

DoorbellMap::Ranges::iterator DoorbellMap::add(const std::byte* begin, std::size_t bytes,
                                               std::shared_ptr<Doorbell> doorbell) {
  const auto from = reinterpret_cast<std::uintptr_t>(begin);
  const std::lock_guard held(mutex_);
  return ranges_.emplace(from, std::pair{from + bytes, std::move(doorbell)});
}

void DoorbellMap::remove(Ranges::iterator range) {
  const std::lock_guard held(mutex_);
  ranges_.erase(range);
}

std::shared_ptr<Doorbell> DoorbellMap::of(const void* address) const {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const std::lock_guard held(mutex_);
  const auto after = ranges_.upper_bound(at);
  if (after == ranges_.begin()) return own_;
  const auto& [end, doorbell] = std::prev(after)->second;
  return at < end ? doorbell : own_;
}

std::unique_ptr<Buffer> make_buffer(int device, std::size_t bytes) {
  return std::make_unique<PlainBuffer>(device, bytes);
}
std::unique_ptr<Buffer> make_device_buffer(int device, std::size_t bytes) {
  return std::make_unique<DeviceBuffer>(device, bytes);
}

std::unique_ptr<ShareableBuffer> make_shareable(int device, std::size_t bytes, std::shared_ptr<Doorbell> doorbell,
                                                const std::string& uuid, std::function<void()> before_export) {
  return std::make_unique<FileBuffer>(device, bytes, std::move(doorbell), uuid, std::move(before_export));
}

std::unique_ptr<Mapping> make_mapping(const ExportedMemory& memory, std::shared_ptr<DoorbellMap> doorbells,
                                      bool always_remap) {
  const bool same_process = memory.process == process_identity() && !always_remap;
  return std::make_unique<HostMapping>(memory, std::move(doorbells), same_process);
}

}  // namespace halocline::device::host
