// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "halocline/stream.hpp"

namespace [[gnu::visibility("default")]] halocline {

namespace device {
class Backend;
class Current;
}  // namespace device
namespace comm {
class Communicator;
}

enum class DeviceKind : int { host, cuda };
[[nodiscard]] std::string_view to_string(DeviceKind kind);
/// "host", "cuda"; nothing for "auto". Throws InvalidArgument for another word.
[[nodiscard]] std::optional<DeviceKind> device_kind_of(std::string_view name);

struct DeviceInfo {
  std::string name;
  std::string uuid;  ///< the same for every process that sees the device
  std::int64_t memory_bytes = 0;
  int numa = -1;  ///< -1 where unknown
  /// The device's number in its runtime in this process, as cudaSetDevice() takes it; -1 on the host.
  int native_ordinal = -1;
};

/// The devices that this process drives, numbered from 0 (the rank's own ordinals, not the node's). A handle: copies refer to
/// the same devices, which exist as long as one of the copies, or a domain that uses them.
class Devices {
 public:
  explicit Devices(std::shared_ptr<device::Backend> backend) : backend_(std::move(backend)) {}
  [[nodiscard]] DeviceKind kind() const;
  [[nodiscard]] int count() const;
  /// Throws InvalidArgument for a device that does not exist; so do the calls below.
  [[nodiscard]] DeviceInfo info(int device) const;
  [[nodiscard]] std::unique_ptr<Stream> create_stream(int device) const;
  /// Wraps a stream of the caller's (cudaStream_t), which must outlive the result. Throws CapabilityError on host devices,
  /// and InvalidArgument for a stream of another device or CUDA's legacy default stream.
  [[nodiscard]] std::unique_ptr<Stream> borrow_stream(int device, void* native) const;
  [[nodiscard]] std::unique_ptr<Event> create_event(int device, Timing timing = Timing::off) const;

  /// For Halocline's own code.
  [[nodiscard]] const std::shared_ptr<device::Backend>& backend() const { return backend_; }

 private:
  std::shared_ptr<device::Backend> backend_;
};

/// Which devices the ranks drive.
struct DeviceOptions {
  /// Devices that exist already, on all ranks; the other members are then not used.
  std::optional<Devices> existing{};
  /// Host devices or GPUs; the same on all ranks. If unset, HALOCLINE_BACKEND decides; if that is auto or not set, GPUs are taken
  /// if every rank sees one.
  std::optional<DeviceKind> kind{};
  /// Devices that each rank drives. If unset: 1 host device, or an equal share of the GPUs of its node.
  std::optional<int> per_rank{};
  /// Threads that run the host devices' work in the background; 0: by cores and ranks.
  int host_workers = 0;
};

/// The devices that this rank drives, for several domains, or for work before there is one; ranks_on_node: how many ranks share the node,
/// for the number of host workers. Collective: the kind is the same on all ranks, and the GPUs that the ranks of a machine see are shared
/// out among them, by UUID, whatever virtual nodes there are. Throws the same error on all ranks: InvalidArgument where ranks ask for
/// different kinds or for more GPUs than there are, CapabilityError where GPUs are asked for by name and a rank has none. Where some ranks
/// see GPUs and some do not, and none were asked for, all take host devices, with a warning.
[[nodiscard]] Devices make_devices(const comm::Communicator& comm, const DeviceOptions& options, int ranks_on_node = 1);

}  // namespace halocline
