// SPDX-License-Identifier: BSD-3-Clause
// The memory of a rank's devices, for explain().
#include <fmt/core.h>

#include <array>
#include <map>
#include <utility>

#include "domain/detail/domain_impl.hpp"

namespace halocline {
namespace {

using device::Purpose;

std::string binary_bytes(std::int64_t bytes) {
  constexpr double kibi = 1024;
  const auto value = static_cast<double>(bytes);
  if (value < kibi) return fmt::format("{} B", bytes);
  return value < kibi * kibi ? fmt::format("{:.1f} KiB", value / kibi) : fmt::format("{:.1f} MiB", value / kibi / kibi);
}

/// Bytes of cells with halos on one device.
struct Cells {
  std::string heading;
  std::int64_t ours = 0;
  std::int64_t users = 0;  ///< in arrays of the user's own
};

}  // namespace

std::string Domain::Impl::explain_memory() const {
  std::map<int, Cells> columns;  // by device
  for (const subdomain_id id : mine) {
    const placement::Slot& slot = plan->placement.of(id);
    Cells& cells = columns[slot.ordinal];
    cells.heading = fmt::format("device {}", slot.device.value());
    for (const field_id f : all_fields()) {
      const FieldDescriptor& of = field(f);
      const std::int64_t bytes =
          plan->geometry.with_halo(f, id).volume() * bytes_of(of.element) * of.components * of.buffers;
      (user_arrays.contains({f, id}) ? cells.users : cells.ours) += bytes;
    }
  }
  columns[device::pinned_host].heading = "pinned host";

  std::string text = fmt::format("{:<10} {:<18}", "memory", fmt::format("of rank {}", comm->rank().value()));
  for (const auto& [device, cells] : columns) text += fmt::format(" {:>12}", cells.heading);
  const auto add_row = [&](const char* name, auto&& bytes_on) {
    text += fmt::format("\n{:<10} {:<18}", "", name);
    for (const auto& [device, cells] : columns) text += fmt::format(" {:>12}", binary_bytes(bytes_on(device, cells)));
  };
  const auto add_purpose = [&](const char* name, Purpose purpose) {
    add_row(name, [&](int device, const Cells&) { return account->bytes(device, purpose); });
  };
  add_row("cells with halos", [](int, const Cells& cells) { return cells.ours; });
  add_row("padding",
          [&](int device, const Cells& cells) { return account->bytes(device, Purpose::cells) - cells.ours; });
  add_purpose("messages", Purpose::messages);
  add_purpose("tables", Purpose::tables);
  add_purpose("other", Purpose::other);
  add_row("all", [&](int device, const Cells&) { return account->bytes(device); });
  if (!user_arrays.empty()) add_row("user's own arrays", [](int, const Cells& cells) { return cells.users; });
  if (backend->kind() == DeviceKind::cuda)
    text += "\n           without CUDA's context, and before CUDA rounds small parts up to blocks of 2 MiB";
  return text + "\n";
}

}  // namespace halocline
