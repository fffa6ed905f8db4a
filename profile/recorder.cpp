// SPDX-License-Identifier: BSD-3-Clause
#include "profile/recorder.hpp"

#include <algorithm>
#include <cstring>

namespace halocline::profile {
namespace {

constinit std::atomic<Recorder*> current = nullptr;
constinit thread_local int pauses = 0;

/// Handles are pointers in some MPIs and numbers in others.
std::uint64_t key_of(MPI_Request request) {
  std::uint64_t key = 0;
  static_assert(sizeof request <= sizeof key);
  std::memcpy(&key, &request, sizeof request);
  return key;
}

}  // namespace

Recorder::Recorder() {
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  sent_ = std::make_unique<Cell[]>(static_cast<std::size_t>(ranks_));
  fetched_ = std::make_unique<Cell[]>(static_cast<std::size_t>(ranks_));
}

void Recorder::plan(MPI_Request request, const Planned& planned) {
  const std::lock_guard held(mutex_);
  planned_[key_of(request)] = planned;
}

void Recorder::start(MPI_Request request) {
  Planned planned;
  {
    const std::lock_guard held(mutex_);
    const auto found = planned_.find(key_of(request));
    if (found == planned_.end()) return;
    planned = found->second;
  }
  planned.cell->add(planned.place, planned.bytes, 1);
}

void Recorder::forget(MPI_Request request) {
  const std::lock_guard held(mutex_);
  planned_.erase(key_of(request));
}

bool paused() noexcept { return pauses > 0; }

Recorder* recorder() noexcept { return current.load(std::memory_order_acquire); }

void start_recording() noexcept {
  try {
    current.store(new Recorder, std::memory_order_release);
  } catch (...) {
    // No memory: nothing is counted, and nothing written.
  }
}

Recorder* stop_recording() noexcept { return current.exchange(nullptr, std::memory_order_acq_rel); }

std::int64_t bytes_of(std::int64_t count, MPI_Datatype type) noexcept {
  if (type == MPI_DATATYPE_NULL || count <= 0) return 0;
  MPI_Count size = 0;
  PMPI_Type_size_x(type, &size);
  return count * std::max<std::int64_t>(static_cast<std::int64_t>(size), 0);
}

Cell* cell_of(Recorder& all, const Peers* peers, int to) {
  if (peers == nullptr || to < 0 || to >= peers->size) return nullptr;
  return all.sent(peers->world[static_cast<std::size_t>(to)]);
}

}  // namespace halocline::profile

/// From here on (more is 1) until as many calls with -1, messages of this thread are not counted: Halocline's own to set up.
extern "C" void halocline_profile_pause(int more);
extern "C" void halocline_profile_pause(int more) { halocline::profile::pauses += more; }
