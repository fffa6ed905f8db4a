// SPDX-License-Identifier: BSD-3-Clause
#include "comm/mpi/finalisation.hpp"

#include <mpi.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "comm/mpi/check.hpp"
#include "core/clock.hpp"

namespace halocline::comm::mpi {
namespace {

std::atomic<bool> begun{false};
std::atomic<int> callers{0};

/// The callers see `begun` before their next call of MPI, and end.
int begin(MPI_Comm /*self*/, int /*keyval*/, void* /*value*/, void* /*state*/) noexcept {
  begun = true;
  const Deadline deadline(Clock::steady(), std::chrono::seconds(5));
  while (callers != 0 && !deadline.expired()) std::this_thread::sleep_for(std::chrono::microseconds(50));
  return MPI_SUCCESS;
}

class Caller final : public ConcurrentCaller {
 public:
  Caller() { ++callers; }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;
  ~Caller() override { --callers; }
  [[nodiscard]] bool must_end() const noexcept override { return begun; }
};

}  // namespace

void watch_finalisation() {
  static std::mutex mutex;
  static bool watched = false;
  const std::lock_guard held(mutex);
  if (watched) return;
  int keyval = MPI_KEYVAL_INVALID;
  check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &begin, &keyval, nullptr), "MPI_Comm_create_keyval");
  check(MPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr), "MPI_Comm_set_attr");
  check(MPI_Comm_free_keyval(&keyval), "MPI_Comm_free_keyval");  // it lives as long as the attribute
  watched = true;
}

bool finalising() noexcept { return begun; }

std::unique_ptr<ConcurrentCaller> make_concurrent_caller() { return std::make_unique<Caller>(); }

}  // namespace halocline::comm::mpi
