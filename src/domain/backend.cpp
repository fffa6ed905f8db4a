#include "halocline/domain/backend.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "halocline/core/environment.hpp"
#include "halocline/core/error.hpp"
#include "halocline/core/log.hpp"
#include "halocline/device/cuda.hpp"
#include "halocline/device/host.hpp"
#include "halocline/placement/devices.hpp"

namespace halocline {
namespace {

using device::BackendKind;

constexpr int automatic = -1;

/// What ranks compare before they choose. Trivially copyable.
struct Wish {
  int kind = automatic;  ///< a BackendKind, or automatic
  int gpus = 0;          ///< that the rank sees
};

Wish wish_of(const BackendRequest& request, std::size_t gpus) {
  auto kind = request.kind;
  if (!kind) kind = backend_kind_of(Environment::read().backend);
  return {kind ? static_cast<int>(*kind) : automatic, static_cast<int>(gpus)};
}

/// Throws on every rank alike where wishes differ.
BackendKind chosen(const std::vector<Wish>& wishes, bool first_rank) {
  const auto name = [](int kind) {
    return kind == automatic ? std::string_view("auto") : to_string(static_cast<BackendKind>(kind));
  };
  for (std::size_t rank = 0; rank < wishes.size(); ++rank) {
    if (wishes[rank].kind == wishes[0].kind) continue;
    throw InvalidArgument(fmt::format("backend of rank {} is {}; allowed is that of rank 0, {}", rank,
                                      name(wishes[rank].kind), name(wishes[0].kind)));
  }
  if (wishes[0].kind != automatic) return static_cast<BackendKind>(wishes[0].kind);
  const auto without = std::find_if(wishes.begin(), wishes.end(), [](const Wish& wish) { return wish.gpus == 0; });
  if (without == wishes.end()) return BackendKind::cuda;
  const bool some = std::any_of(wishes.begin(), wishes.end(), [](const Wish& wish) { return wish.gpus > 0; });
  if (some && first_rank) {
    log(LogLevel::warning,
        fmt::format(
            "rank {} sees no GPU, so that all ranks take host devices though some see GPUs; HALOCLINE_BACKEND=host "
            "says that this is meant",
            without - wishes.begin()));
  }
  return BackendKind::host;
}

std::vector<std::byte> packed(const std::vector<device::DeviceInfo>& gpus) {
  std::string text;
  for (const auto& gpu : gpus) text += gpu.uuid + '\n';
  const auto bytes = std::as_bytes(std::span<const char>(text));
  return {bytes.begin(), bytes.end()};
}

std::vector<std::string> unpacked(const std::vector<std::byte>& bytes) {
  std::vector<std::string> uuids;
  std::string word;
  for (const std::byte byte : bytes) {
    const auto letter = static_cast<char>(byte);
    if (letter == '\n') {
      uuids.push_back(std::move(word));
      word.clear();
    } else {
      word += letter;
    }
  }
  return uuids;
}

std::shared_ptr<device::Backend> make_gpus(comm::Communicator& comm, const BackendRequest& request,
                                           const std::vector<device::DeviceInfo>& gpus) {
  comm::agree_on(comm, [&] {
    if (!gpus.empty()) return;
    static_cast<void>(device::make_cuda_backend({}));  // says what is missing
    throw CapabilityError("backend is cuda, but no GPU is visible; allowed are ranks that see one or more");
  });
  // Ranks of different virtual nodes still share the machine's GPUs.
  const auto machine = comm.split_by_node(std::nullopt);
  const auto rank_on_machine = machine->rank().index();
  std::vector<std::vector<std::string>> seen;
  for (const auto& uuids : machine->all_gather(packed(gpus))) seen.push_back(unpacked(uuids));
  machine->close();
  std::shared_ptr<device::Backend> backend;
  comm::agree_on(comm, [&] {
    device::CudaOptions options;
    options.devices = placement::share_devices(seen, request.devices_per_rank)[rank_on_machine];
    backend = device::make_cuda_backend(options);
  });
  return backend;
}

std::shared_ptr<device::Backend> make_host_devices(comm::Communicator& comm, const BackendRequest& request) {
  device::HostOptions host;
  host.devices = request.devices_per_rank.value_or(1);
  host.workers = request.host_workers;
  host.ranks_on_node = request.ranks_on_node;
  host.clock = &comm.clock();
  std::shared_ptr<device::Backend> backend;
  comm::agree_on(comm, [&] { backend = device::make_host_backend(host); });
  return backend;
}

}  // namespace

std::optional<BackendKind> backend_kind_of(std::string_view name) {
  if (name == "auto") return std::nullopt;
  for (const BackendKind kind : {BackendKind::host, BackendKind::cuda}) {
    if (name == to_string(kind)) return kind;
  }
  throw InvalidArgument(fmt::format("backend is '{}'; allowed is one of auto host cuda", name));
}

std::shared_ptr<device::Backend> make_backend(comm::Communicator& comm, const BackendRequest& request) {
  std::vector<device::DeviceInfo> gpus;
  Wish mine;
  comm::agree_on(comm, [&] {
    // Nobody asks for GPUs who wants none: starting the driver takes a second.
    if (wish_of(request, 0).kind != static_cast<int>(BackendKind::host)) gpus = device::cuda_devices();
    mine = wish_of(request, gpus.size());
  });
  const auto kind = chosen(comm.all_gather_value(mine), comm.rank() == rank_id(0));
  return kind == BackendKind::cuda ? make_gpus(comm, request, gpus) : make_host_devices(comm, request);
}

}  // namespace halocline
