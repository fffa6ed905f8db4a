// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include "comm/detail/runtime.hpp"
#include "comm/launcher.hpp"
#include "comm/local_ranks.hpp"
#include "comm/uncounted.hpp"
#include "core/log.hpp"
#include "core/removed_file.hpp"
#include "core/short_text.hpp"
#include "core/trimmed.hpp"
#include "halocline/session.hpp"

namespace halocline::comm {
namespace {

std::atomic<bool> exit_with_failure{false};

/// A destructor has no other way to make the program fail. Runs after all handlers that are registered later, MPI's
/// included.
void fail_at_exit_where_asked() {
  [[maybe_unused]] static const int registered = ::on_exit(
      [](int status, void*) {
        if (!exit_with_failure || status != EXIT_SUCCESS) return;
        std::fflush(nullptr);
        std::_Exit(EXIT_FAILURE);
      },
      nullptr);
}

/// Whether the world's RankGroup uses MPI rather than the serial backend.
bool takes_mpi(const Environment& environment, const Launcher& launcher) {
  if (environment.comm == "serial") return false;
  if (environment.comm == "mpi" || runtime::active()) return true;
  if (launcher.kind == Launcher::Kind::none) return false;
  if (!runtime::built() && launcher.size <= 1) return false;
  return true;
}

/// Whether the environment lists net, and a thread that calls MPI moves its messages. The full syntax of lists is routing::Policy's.
bool wants_thread(const Environment& environment) {
  if (environment.net_engine == "ucx") return false;
  const std::string transports = environment.transports.value_or("");
  for (std::string_view rest = transports; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    if (trimmed(rest.substr(0, comma)) == "net") return true;
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return false;
}

}  // namespace

Session::Session(int* argc, char*** argv, const Environment& environment) : exceptions_(std::uncaught_exceptions()) {
  const Launcher launcher = detect_launcher();
  if (!takes_mpi(environment, launcher)) {
    world_ = serial();
    world_->set_timeout(environment.timeout);
    return;
  }
  if (!runtime::built() && launcher.size > 1) {
    throw CapabilityError(
        fmt::format("started by {} as {} processes ({}), but MPI is not built into this Halocline: "
                    "configure it with HALOCLINE_MPI=ON, or set HALOCLINE_COMM=serial to run each "
                    "process on its own",
                    to_string(launcher.kind), launcher.size, launcher.evidence));
  }
  if (!runtime::active()) {
    if (const auto why = launcher_mismatch(launcher, runtime::library(), runtime::mpiexec())) {
      throw CapabilityError(*why);
    }
    fail_at_exit_where_asked();
    runtime::initialise(argc, argv, environment.timeout,
                        wants_thread(environment) ? runtime::AskedLevel::multiple : runtime::AskedLevel::serialized);
    finalise_ = true;
  }
  if (const auto why = alone_in_world(launcher, runtime::world_size(), runtime::library(), runtime::mpiexec())) {
    if (finalise_) runtime::finalise(environment.timeout);
    throw CapabilityError(*why);
  }
  world_ = runtime::world(environment.timeout);
}

Session::~Session() {
  try {
    if (world_->backend() != CommBackend::mpi || runtime::finalised()) return;
    // While an error unwinds, the other ranks may be anywhere, so this rank does not wait for them. The launcher ends
    // the job when a process ends without MPI_Finalize.
    if (std::uncaught_exceptions() > exceptions_ || world_->poisoned() || runtime::any_poisoned()) {
      world_->poison();
      if (finalise_) world_->take_leave();
      log_at_exit(LogLevel::warning, "MPI is not finalised, because of an earlier error");  // after the error itself
      exit_with_failure = finalise_;
      return;
    }
    const Duration timeout = world_->timeout();
    const Uncounted closing;
    world_->close();
    if (finalise_) runtime::finalise(timeout);
  } catch (const std::exception& error) {
    exit_with_failure = finalise_;
    if (finalise_) world_->take_leave();
    log(LogLevel::error, ShortText("MPI is not finalised: {}", error.what()));
  }
}

void Session::abort(int exit_code) {
  std::fflush(nullptr);
  RemovedFile::remove_all();
  if (world_->backend() == CommBackend::mpi && runtime::active()) runtime::abort(exit_code);
  std::_Exit(exit_code);
}

}  // namespace halocline::comm
