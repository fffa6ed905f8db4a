// SPDX-License-Identifier: BSD-3-Clause
#include "device/backend.hpp"

#include <atomic>

#include "device/host.hpp"
#include "halocline/error.hpp"

namespace halocline::device {

std::unique_ptr<Stream> Backend::borrow_stream(int /*device*/, void* /*native*/) {
  throw CapabilityError("streams of host devices are the backend's own; allowed are those of create_stream()");
}

ExportedRange Backend::export_range(int /*device*/, const std::byte* /*first*/, std::size_t /*bytes*/) {
  throw CapabilityError("these devices export the library's own memory alone");
}

std::unique_ptr<Mapping> Backend::map_range(int device, std::span<const MemoryHandle> pieces) {
  if (pieces.size() != 1) {
    throw CapabilityError("cannot map memory of " + std::to_string(pieces.size()) +
                          " pieces; allowed is one on these devices");
  }
  return map(device, pieces.front());
}

std::unique_ptr<WordReader> Backend::make_word_reader(int /*device*/, std::vector<const std::uint64_t*> words) {
  return make_loading_reader(std::move(words));
}

void Stream::copy_in_turn(const std::uint64_t* /*epoch*/, const std::array<const CopyList*, 2>& /*lists*/) {
  throw CapabilityError("copies in turn are a part of the fused exchange on these devices");
}

void Backend::synchronize(std::span<Stream* const> streams) {
  if (streams.size() == 1) return streams.front()->synchronize();
  const auto done = [&] {
    bool all = true;
    for (Stream* stream : streams) {
      try {
        all = stream->query() && all;
      } catch (const Error&) {
        stream->synchronize();  // throws it again, when what runs in this stream has ended
        throw;
      }
    }
    return all;
  };
  wait_until(done, Deadline());
}

Verdict Backend::communicators() const { return Verdict::of(false, "these devices have no communicators"); }

CommunicatorId Backend::make_communicator_id() { throw CapabilityError(communicators().why_not); }

std::vector<std::unique_ptr<Communicator>> Backend::join(const CommunicatorSetup& /*setup*/) {
  throw CapabilityError(communicators().why_not);
}

void Backend::signal_from_host(std::span<const FlagSignal> signals, std::uint64_t epoch) {
  for (const FlagSignal& signal : signals) {
    Flag& flag = signal.of(epoch);
    std::atomic_ref(flag.token).store(signal.token, std::memory_order_relaxed);
    std::atomic_ref(flag.epoch).store(epoch, std::memory_order_release);
  }
}

std::string_view to_string(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::host: return "memory of the host that CUDA does not know (malloc)";
    case MemoryKind::pinned: return "pinned memory of the host";
    case MemoryKind::device: return "device memory";
    case MemoryKind::managed: return "managed memory (cudaMallocManaged)";
    case MemoryKind::pool: return "device memory of a pool (cudaMallocAsync)";
    case MemoryKind::mapped: return "device memory that was mapped (cuMemMap)";
  }
  return "unknown memory";
}

Stream& stream_of(halocline::Stream& stream) {
  auto* const ours = dynamic_cast<Stream*>(&stream);
  if (ours == nullptr) {
    throw InvalidArgument("a stream is none of Halocline's; allowed are those that Devices or a subdomain gives");
  }
  return *ours;
}

std::string_view to_string(Operation operation) {
  switch (operation) {
    case Operation::allocate: return "allocate";
    case Operation::export_memory: return "export memory";
    case Operation::map_memory: return "map memory";
    case Operation::copy: return "copy";
    case Operation::copy_list: return "copy list";
    case Operation::sum_list: return "sum list";
    case Operation::reduction_list: return "reduction list";
    case Operation::advance: return "advance";
    case Operation::expect: return "expect";
    case Operation::signal: return "signal";
    case Operation::wait_flag: return "wait for flags";
    case Operation::record: return "record";
    case Operation::wait_event: return "wait for an event";
    case Operation::launch: return "launch";
    case Operation::host_function: return "host function";
    case Operation::graph: return "graph";
  }
  return "unknown";
}

}  // namespace halocline::device
