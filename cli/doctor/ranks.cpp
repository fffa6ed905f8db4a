// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "comm/agree.hpp"
#include "comm/launcher.hpp"
#include "comm/mpi_library.hpp"
#include "comm/requests.hpp"
#include "doctor/check.hpp"
#include "doctor/child.hpp"
#include "table.hpp"

namespace cli::doctor {
namespace {

using namespace halocline;

constexpr const char* build_with_mpi = "install libopenmpi-dev, and configure Halocline with -DHALOCLINE_MPI=ON";

/// The first line of the version without a copyright: MPICH's has pages.
std::string short_version(const comm::MpiLibrary& mpi) {
  const std::size_t end = std::min(mpi.version.find('\n'), mpi.version.find(','));
  std::string text = mpi.version.substr(0, end);
  std::ranges::replace(text, '\t', ' ');
  return text.empty() ? "an unknown MPI" : text;
}

/// A message from each rank to the next one, compared with what its sender wrote. Collective.
bool message_arrives(comm::RankGroup& world) {
  const int size = world.size();
  const auto me = static_cast<int>(world.rank().value());
  std::int64_t mine = 1'000'003 * (me + 1);
  std::int64_t got = 0;
  const rank_id next((me + 1) % size), previous((me + size - 1) % size);
  const auto receive = world.receive(std::as_writable_bytes(std::span(&got, 1)), previous, 0);
  const auto send = world.send(std::as_bytes(std::span(&mine, 1)), next, 0);
  const Deadline deadline(world.clock(), world.timeout());
  comm::wait_until([&] { return receive->test(); }, deadline, "receiving a message");
  comm::wait_until([&] { return send->test(); }, deadline, "sending a message");
  return got == 1'000'003 * (static_cast<std::int64_t>(previous.value()) + 1);
}

/// What to do about what a launcher printed.
std::string fix_of_launcher(const std::string& output) {
  const auto has = [&output](const char* text) { return output.find(text) != std::string::npos; };
  if (has("allow-run-as-root")) {
    return "start it as another user than root, or set OMPI_ALLOW_RUN_AS_ROOT=1 and "
           "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1";
  }
  if (has("not enough slots")) return "mpirun --oversubscribe, or OMPI_MCA_rmaps_base_oversubscribe=1";
  return "run that command to see its whole output";
}

/// Two ranks, as a user would start them: without a launcher, MPI is not initialised in this process.
Finding try_two_ranks(const comm::MpiLibrary& mpi) {
  const std::string name = short_version(mpi);
  if (mpi.mpiexec.empty()) return skipped(name + ": its launcher is not known; start this command by it");
  std::error_code none;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe", none).string();
  const ChildResult child = run_child({mpi.mpiexec, "-n", "2", self, "exchange", "--size", "16", "--repeat", "1",
                                       "--steady", "0", "--verify", "--timeout", "20"},
                                      std::chrono::seconds(30));
  const std::string command = fmt::format("'{} -n 2 halocline exchange --verify'", mpi.mpiexec);
  if (!child.started)
    return broken(fmt::format("{}: {} cannot be run", name, mpi.mpiexec), "install its launcher (openmpi-bin)");
  if (!child.in_time) return broken(fmt::format("{}: {} has not ended after 30 s", name, command), fix_of_launcher({}));
  if (child.code != 0) {
    return broken(fmt::format("{}: {} failed: {}", name, command, child.first_line()), fix_of_launcher(child.output));
  }
  return works(fmt::format("{}; {} passed", name, command));
}

}  // namespace

Finding try_launcher(Subject& subject) {
  if (!subject.no_job.empty()) {
    // "what is wrong: what to do"
    const std::size_t colon = subject.no_job.rfind(": ");
    const std::size_t end = std::min(colon, subject.no_job.size());
    return broken(subject.no_job.substr(0, end), end < subject.no_job.size() ? subject.no_job.substr(end + 2) : "");
  }
  const comm::Launcher launcher = comm::detect_launcher();
  if (launcher.kind == comm::Launcher::Kind::none) return works("none: one process");
  if (subject.context.world.backend() == comm::CommBackend::serial && launcher.size > 1) {
    return works(fmt::format("{}, but HALOCLINE_COMM=serial runs each process on its own", to_string(launcher.kind)));
  }
  return works(fmt::format("{}, {}", to_string(launcher.kind), plural(subject.context.world.size(), "rank")));
}

Finding try_mpi(Subject& subject) {
  const comm::MpiLibrary mpi = comm::mpi_library();
  comm::RankGroup& world = subject.context.world;
  if (!mpi.built) return absent("not in this build: one process drives all devices", build_with_mpi);
  if (!subject.no_job.empty()) return skipped(short_version(mpi) + ": see 'launcher'");
  if (world.backend() == comm::CommBackend::mpi) {
    if (!message_arrives(world))
      return broken(short_version(mpi) + ": a message arrived with other bytes", "use another MPI");
    return works(short_version(mpi) + "; a message from each rank to the next arrived");
  }
  if (subject.context.environment.comm == "serial") return skipped(short_version(mpi) + ": HALOCLINE_COMM=serial");
  return try_two_ranks(mpi);
}

Finding try_mpi_threads(Subject& subject) {
  const comm::MpiLibrary mpi = comm::mpi_library();
  if (subject.context.world.backend() != comm::CommBackend::mpi) return skipped("MPI is not used by this process");
  if (mpi.any_thread) return works(mpi.thread_level);
  return broken(mpi.thread_level + ": only one thread may use a domain",
                "call Halocline from the main thread only, or initialise MPI with MPI_THREAD_SERIALIZED");
}

}  // namespace cli::doctor
