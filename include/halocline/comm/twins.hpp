#pragma once

#include <functional>
#include <memory>

#include "halocline/comm/communicator.hpp"
#include "halocline/core/environment.hpp"

namespace halocline::comm {

/// One rank alone, without MPI; a message to itself is copied.
[[nodiscard]] std::unique_ptr<Communicator> serial(const Clock& clock = Clock::steady());

struct ThreadsOptions {
  const Clock* clock = &Clock::steady();
  Duration timeout = std::chrono::seconds(60);
};

/// Runs body once for each rank, each in a thread of this process with its Communicator, and joins them. A rank that
/// has ended, with an exception or without, makes the others' waits for it fail with CommunicationError at once
/// instead of lasting until the timeout. Where bodies throw, the first one's exception (in rank order; those that
/// only followed from another rank's end come last) is thrown again after all have ended. A send is copied and done
/// at once.
void run_as_threads(int ranks, const std::function<void(Communicator&)>& body, const ThreadsOptions& options = {});

/// MPI's life in this program, or none. Makes the world's Communicator: MPI where this process was started by
/// a launcher (or MPI is initialised already, or HALOCLINE_COMM=mpi), the serial twin otherwise.
///
/// Notices before the first MPI call a launcher that belongs to another MPI than the one in this process, and
/// right after MPI_Init a job of several processes in which each is alone; throws CapabilityError that says what to do.
/// Finalises MPI in its destructor only where it initialised it, no Communicator of the process was poisoned, and no
/// exception unwinds it: MPI_Finalize waits for all ranks and could block for ever. Collective where it does.
class Session {
 public:
  Session(int* argc, char*** argv, const Environment& environment);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  [[nodiscard]] Communicator& world() { return *world_; }
  /// Ends the whole job at once with an exit code; for the end of main() after an error. Destructors do not run.
  [[noreturn]] void abort(int exit_code);

 private:
  std::unique_ptr<Communicator> world_;
  int exceptions_ = 0;  ///< under way when this was made; more of them in the destructor mean an error
  bool finalise_ = false;
};

}  // namespace halocline::comm
