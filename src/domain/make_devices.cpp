// SPDX-License-Identifier: BSD-3-Clause
#include "comm/rank_group.hpp"
#include "halocline/devices.hpp"
#include "halocline/ids.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "comm/agree.hpp"
#include "comm/gather.hpp"
#include "core/log.hpp"
#include "device/cuda_backend.hpp"
#include "device/host.hpp"
#include "halocline/environment.hpp"
#include "halocline/error.hpp"
#include "placement/devices.hpp"

namespace halocline {
namespace {

constexpr int automatic = -1;

/// The values that ranks compare before they choose devices. Trivially copyable.
struct Wish {
  int kind = automatic;  ///< a DeviceKind, or automatic
  int gpus = 0;          ///< number of GPUs that the rank sees
};

Wish wish_of(const DeviceOptions& wanted, std::size_t gpus) {
  auto kind = wanted.kind;
  if (!kind) kind = device_kind_of(Environment::read().backend);
  return {kind ? static_cast<int>(*kind) : automatic, static_cast<int>(gpus)};
}

/// The lowest rank that sees no GPU.
auto first_without_gpu(const std::vector<Wish>& wishes) {
  return std::find_if(wishes.begin(), wishes.end(), [](const Wish& wish) { return wish.gpus == 0; });
}

/// Throws the same error on every rank if the requested kinds differ.
DeviceKind chosen(const std::vector<Wish>& wishes, bool first_rank) {
  const auto name = [](int kind) {
    return kind == automatic ? std::string_view("auto") : to_string(static_cast<DeviceKind>(kind));
  };
  for (std::size_t rank = 0; rank < wishes.size(); ++rank) {
    if (wishes[rank].kind == wishes[0].kind) continue;
    throw InvalidArgument(fmt::format("backend of rank {} is {}; allowed is that of rank 0, {}", rank,
                                      name(wishes[rank].kind), name(wishes[0].kind)));
  }
  if (wishes[0].kind != automatic) return static_cast<DeviceKind>(wishes[0].kind);
  const auto without = first_without_gpu(wishes);
  if (without == wishes.end()) return DeviceKind::cuda;
  const bool some = std::any_of(wishes.begin(), wishes.end(), [](const Wish& wish) { return wish.gpus > 0; });
  if (some && first_rank) {
    log(LogLevel::warning,
        fmt::format("rank {} sees no GPU, so that all ranks take host devices though some see GPUs; set "
                    "HALOCLINE_BACKEND=host to silence this warning",
                    without - wishes.begin()));
  }
  return DeviceKind::host;
}

std::shared_ptr<device::Backend> make_gpus(comm::RankGroup& comm, const DeviceOptions& wanted,
                                           const device::FoundGpus& found) {
  const std::vector<device::DeviceInfo>& gpus = found.devices;
  comm::agree(comm, found.failure);
  // Ranks of different virtual nodes still share the machine's GPUs.
  const auto machine = comm.split_by_node(std::nullopt);
  const auto rank_on_machine = machine->rank().index();
  std::vector<std::string> uuids;
  for (const auto& gpu : gpus) uuids.push_back(gpu.uuid);
  const auto seen = comm::gather(*machine, uuids);
  machine->close();
  std::shared_ptr<device::Backend> backend;
  comm::agree_on(comm, [&] {
    device::CudaOptions options;
    options.devices = placement::share_devices(seen, wanted.per_rank)[rank_on_machine];
    backend = device::make_cuda_backend(options);
  });
  return backend;
}

std::shared_ptr<device::Backend> make_host_devices(comm::RankGroup& comm, const DeviceOptions& wanted,
                                                   int ranks_on_node) {
  device::HostOptions host;
  host.devices = wanted.per_rank.value_or(1);
  host.workers = wanted.host_workers;
  host.ranks_on_node = ranks_on_node;
  host.clock = &comm.clock();
  std::shared_ptr<device::Backend> backend;
  comm::agree_on(comm, [&] { backend = device::make_host_backend(host); });
  return backend;
}

}  // namespace

Devices make_devices(const comm::Communicator& ranks, const DeviceOptions& wanted, int ranks_on_node) {
  comm::RankGroup& comm = ranks;
  device::FoundGpus gpus;
  Wish mine;
  comm::agree_on(comm, [&] {
    // Do not query GPUs if none are wanted: starting the driver takes a second.
    if (wish_of(wanted, 0).kind != static_cast<int>(DeviceKind::host)) gpus = device::find_gpus();
    mine = wish_of(wanted, gpus.devices.size());
  });
  const auto wishes = comm::gather_value(comm, mine);
  const auto kind = chosen(wishes, comm.rank() == rank_id(0));
  const auto without = first_without_gpu(wishes);
  if (mine.kind == automatic && !gpus.warning.empty() && without - wishes.begin() == comm.rank().value())
    log(LogLevel::warning, gpus.warning + "; host devices are used instead");
  return Devices(kind == DeviceKind::cuda ? make_gpus(comm, wanted, gpus)
                                          : make_host_devices(comm, wanted, ranks_on_node));
}

}  // namespace halocline
