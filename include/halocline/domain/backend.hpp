#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "halocline/comm/communicator.hpp"
#include "halocline/device/backend.hpp"

namespace halocline {

/// "host", "cuda"; nothing for "auto". Throws InvalidArgument for another word.
[[nodiscard]] std::optional<device::BackendKind> backend_kind_of(std::string_view name);

/// What devices the ranks are to drive.
struct BackendRequest {
  /// Unset, HALOCLINE_BACKEND decides; where that is auto or not set, GPUs are taken where every rank sees one. The
  /// same on all ranks.
  std::optional<device::BackendKind> kind{};
  /// Unset: 1 host device, or an even part of the GPUs; see placement::share_devices.
  std::optional<int> devices_per_rank{};
  /// Threads that run the host devices' work in the background; 0: by cores and ranks_on_node.
  int host_workers = 0;
  int ranks_on_node = 1;
};

/// The devices that this rank drives. Collective: the kind is the same on all ranks, and the GPUs that the ranks of a
/// machine see are shared out among them, by UUID, whatever virtual nodes there are. Throws the same error on all
/// ranks: InvalidArgument where ranks ask for different kinds or for more GPUs than there are, CapabilityError where
/// GPUs are asked for by name and a rank has none. Where some ranks see GPUs and some do not, and none were asked for,
/// all take host devices, with a warning.
[[nodiscard]] std::shared_ptr<device::Backend> make_backend(comm::Communicator& comm, const BackendRequest& request);

}  // namespace halocline
