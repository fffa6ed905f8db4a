#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "comm/launcher.hpp"
#include "comm/runtime.hpp"
#include "halocline/comm/twins.hpp"
#include "halocline/core/log.hpp"

namespace halocline::comm {
namespace {

/// Decides between the twins; throws where the user asked for what cannot be had.
bool takes_mpi(const Environment& environment, const Launcher& launcher) {
  if (environment.comm == "serial") return false;
  if (environment.comm == "mpi" || runtime::active()) return true;
  if (launcher.kind == Launcher::Kind::none) return false;
  if (!runtime::built() && launcher.size <= 1) return false;
  return true;
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
    runtime::initialise(argc, argv);
    finalise_ = true;
  }
  if (const auto why = alone_in_world(launcher, runtime::world_size(), runtime::library(), runtime::mpiexec())) {
    if (finalise_) runtime::finalise();
    throw CapabilityError(*why);
  }
  world_ = runtime::world(environment.timeout);
}

Session::~Session() {
  if (world_->twin() != Twin::mpi || runtime::finalised()) return;
  // While an error unwinds, the other ranks may be anywhere: nobody is waited for, and the launcher, which
  // sees a process end without MPI_Finalize, ends the job.
  if (std::uncaught_exceptions() > exceptions_ || world_->poisoned() || runtime::any_poisoned()) {
    world_->poison();
    log(LogLevel::warning, "MPI is not finalised, because of an earlier error");
    return;
  }
  try {
    world_->close();
    if (finalise_) runtime::finalise();
  } catch (const std::exception& error) {
    log(LogLevel::error, fmt::format("MPI is not finalised: {}", error.what()));
  }
}

void Session::abort(int exit_code) {
  std::fflush(nullptr);
  if (world_->twin() == Twin::mpi && runtime::active()) runtime::abort(exit_code);
  std::_Exit(exit_code);
}

}  // namespace halocline::comm
