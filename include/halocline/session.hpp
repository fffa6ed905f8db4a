// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halocline/communicator.hpp"
#include "halocline/environment.hpp"

#pragma GCC visibility push(default)
namespace halocline::comm {

/// Initialises and finalises MPI if the program needs it, and makes the world's Communicator: by MPI if a launcher started this
/// process (or MPI is initialised already, or HALOCLINE_COMM=mpi), the serial backend otherwise.
///
/// Throws CapabilityError with what to do if the launcher belongs to another MPI than the one in this process (detected before the first
/// MPI call), or if each process of a job is alone in its world (detected after MPI_Init). The destructor finalises MPI, collectively, only
/// if this Session initialised it, no Communicator of the process has failed, and no exception is unwinding: MPI_Finalize waits for all
/// ranks and could block for ever. If it leaves out MPI_Finalize for such a reason, the process ends with status 1 instead of 0, and the
/// destructor first waits at most 0.2 s until the other ranks are there, too: launchers end a job with its first process.
///
/// It initialises MPI with MPI_THREAD_SERIALIZED, or, where the environment's transports list net and its engine is not ucx, with
/// MPI_THREAD_MULTIPLE for the thread that moves messages of net.
///
/// MPI_Init and MPI_Finalize cannot be interrupted: if one of them does not return within the timeout (the environment's, or the
/// world's at the end), because another rank never calls it or has exited, the process ends with one line and status 1.
///
/// If it initialises MPI, it sets the error handlers of MPI_COMM_WORLD and MPI_COMM_SELF to MPI_ERRORS_RETURN, so that
/// errors of MPI become Halocline's errors. If the program initialised MPI, it keeps its handlers: see from_mpi().
class Session {
 public:
  Session(int* argc, char*** argv, const Environment& environment);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  /// A handle to the ranks of the program, valid as long as the Session.
  [[nodiscard]] Communicator world() { return *world_; }
  /// Ends the whole job at once with an exit code; for the end of main() after an error. Destructors do not run.
  [[noreturn]] void abort(int exit_code);

 private:
  std::unique_ptr<RankGroup> world_;
  int exceptions_ = 0;  ///< under way when this was made; more of them in the destructor mean an error
  bool finalise_ = false;
};

/// Key-value pairs that all ranks access, such as torch.distributed's stores: how ranks find each other without MPI. Derive from it and
/// make a Communicator by from_store(). One thread of a rank at a time calls it for one communicator, and any thread may; for several
/// communicators, several threads at once.
class Store {
 public:
  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  virtual ~Store() = default;

  /// Stores a value of at most 1 MiB under a new key. Once a key is there for another rank, those that this rank set before are, too.
  virtual void set(const std::string& key, std::span<const std::byte> value) = 0;
  /// Removes a key and returns its value; nothing if the key is not there (yet). Does not wait.
  [[nodiscard]] virtual std::optional<std::vector<std::byte>> take(const std::string& key) = 0;
};

/// The communicator of `size` processes that share a store, of which this is the rank-th. name: differs between the communicators that
/// are made with one store at the same time; the same on all ranks. Collective: the ranks find each other, and take nothing of what an
/// earlier run has left under this name. Throws InvalidArgument for a rank or size that cannot be, DeadlineError where a rank does not come.
///
/// Domains use it to be set up, and exchange through shared memory and CUDA IPC only: there is no route between two nodes. Processes
/// that do not see each other (containers with process numbers of their own) count as nodes of their own. What a failed run leaves in the store
/// stays there.
[[nodiscard]] Communicator from_store(std::shared_ptr<Store> store, const std::string& name, int rank, int size,
                                      Duration timeout = std::chrono::seconds(120));

}  // namespace halocline::comm
#pragma GCC visibility pop
