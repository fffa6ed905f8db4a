// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "device/backend.hpp"
#include "measure/detail/lane.hpp"

namespace halocline::machine::measuring {

/// A kernel of the stream's device that copies with loads and stores, 16 bytes a lane where size and addresses allow
/// it; else they must be multiples of 8. `number`: DeviceInfo::native_ordinal. On the host backend: an operation of the
/// stream.
void copy_by_kernel(DeviceKind kind, int number, device::Stream& stream, std::byte* target, const std::byte* source,
                    std::size_t bytes);

/// What only CUDA has. Where it is not built in, each throws CapabilityError. All leave the current device as it is.
/// Devices are given by CUDA's numbers (DeviceInfo::native_ordinal).
namespace cuda {

void copy_by_kernel(int number, device::Stream& stream, std::byte* target, const std::byte* source, std::size_t bytes);

/// Times of two directions, or why it cannot be done.
struct Result {
  Times there;
  Times back;
  std::string why_not;
};

/// Copies between a device (back: from it) and pageable memory of the host, timed by the host's clock. Both hold 8 bytes or more.
[[nodiscard]] Result pageable(int number, std::byte* on_device, std::byte* on_host, std::size_t bytes, int repeats);

/// Never more: larger managed allocations have been seen to hang GPUs.
inline constexpr std::size_t most_managed_bytes = std::size_t{16} << 20;
static_assert(most_managed_bytes <= std::size_t{64} << 20);
enum class Managed : int { demand, prefetch };
/// Managed memory that moves from the host to a device (back: from it), by page faults of who reads it or by
/// prefetching. bytes: at most most_managed_bytes.
[[nodiscard]] Result managed(int number, std::byte* on_device, std::size_t bytes, int repeats, Managed how);

/// Managed memory that moves from one device to another (back: the other way), by page faults of a kernel of the other or by
/// prefetching; bytes as above. on_a, on_b: memory of each, of as many bytes.
[[nodiscard]] Result managed_between(int a, std::byte* on_a, int b, std::byte* on_b, std::size_t bytes, int repeats,
                                     Managed how);

/// One direction of a copy between devices.
struct PeerCopy {
  int from;
  int to;
  const std::byte* source;
  std::byte* target;
};
/// Copies while peer access between the two devices is switched off; it is as before at return. Both directions one
/// after the other, or together. No other work may be under way on the two devices.
[[nodiscard]] Result copy_without_peer(const PeerCopy& there, const PeerCopy& back, std::size_t bytes, int repeats,
                                       bool together);

/// One kernel of one thread on each of two devices: each writes the other's word and waits for its own, `rounds` times.
/// Enqueues one side: the first one writes first, and stores at *nanoseconds (pinned) how long all rounds but the first
/// took; it stores nothing where the other side did not answer within the limit.
void ping_pong(int number, device::Stream& stream, std::uint64_t* own, std::uint64_t* other, bool first, int rounds,
               std::uint64_t limit_nanoseconds, std::uint64_t* nanoseconds);

}  // namespace cuda
}  // namespace halocline::machine::measuring
