// SPDX-License-Identifier: BSD-3-Clause
#include "comm/mpi/state.hpp"

#include <fmt/core.h>

#include <atomic>

#include "core/leak.hpp"
#include "core/short_text.hpp"

namespace halocline::comm::mpi {
namespace {

std::atomic<bool> process_poisoned{false};
std::atomic<bool> leak_logged{false};

}  // namespace

void poison_process() noexcept { process_poisoned = true; }

void poison(State& state) noexcept {
  state.life->poisoned = true;
  poison_process();
}

bool any_poisoned() noexcept { return process_poisoned; }

void log_leak_once(int size) noexcept {
  if (leak_logged.exchange(true)) return;
  log_leak(ShortText("a communicator of {} ranks was destroyed without close(); it is leaked (said once)", size));
}

}  // namespace halocline::comm::mpi
