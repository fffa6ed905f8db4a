// SPDX-License-Identifier: BSD-3-Clause
// Errors of ranks about others that are gone, late, or in another call.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "comm/agree.hpp"
#include "comm/detail/job_processes.hpp"
#include "comm/local_ranks.hpp"
#include "comm/phase.hpp"
#include "contract/comm/comm_contract.hpp"
#include "halocline/communicator.hpp"
#include "halocline/session.hpp"
#include "support/error_of.hpp"
#include "support/forwarding_communicator.hpp"
#include "support/manual_clock.hpp"

namespace halocline::comm {
namespace {

using namespace std::chrono_literals;
using test::error_of;

TEST(RanksApart, InDifferentCallsAreNamedWithThem) {
  std::atomic<int> told = 0;
  run_as_threads(11, [&](RankGroup& comm) {
    std::optional<Phase> phase;
    if (comm.rank() == rank_id(4)) phase.emplace("close()");
    if (comm.rank() < rank_id(2)) phase.emplace("realize()");
    const std::string text = error_of<InvalidArgument>([&] {
      agree(comm, nullptr);
      return 0;
    });
    EXPECT_EQ(text,
              "the ranks are in different collective calls (ranks 0, 1: realize(), ranks 2, 3, 5, 6, 7, 8, 9, 10: "
              "another, rank 4: close()); allowed is the same order on all ranks");
    ++told;
  });
  EXPECT_EQ(told, 11);
  run_as_threads(12, [&](RankGroup& comm) {
    std::optional<Phase> phase;
    if (comm.rank() == rank_id(0)) phase.emplace("close()");
    EXPECT_THAT(error_of<InvalidArgument>([&] {
                  agree(comm, nullptr);
                  return 0;
                }),
                testing::HasSubstr("(rank 0: close(), ranks 1, 2, 3, 4, 5, 6, 7, 8 and 3 more: another)"));
  });
}

TEST(RanksApart, AnErrorThatIsNoneOfOursReachesAllRanks) {
  const auto told = [](const std::function<void()>& fail) {
    return error_of<Error>([&] {
      run_as_threads(2, [&](RankGroup& comm) {
        agree_on(comm, [&] {
          if (comm.rank() == rank_id(1)) fail();
        });
      });
      return 0;
    });
  };
  EXPECT_EQ(told([] { throw std::runtime_error("a library's"); }), "rank 1: a library's");
  EXPECT_EQ(told([] { throw std::bad_alloc(); }), "rank 1: out of memory");
  EXPECT_EQ(told([] { throw 7; }), "rank 1: an exception of an unknown type");
}

TEST(RanksApart, OfAnUnknownExceptionSayThatItIsUnknown) {
  std::string text;
  EXPECT_THROW(run_as_threads(2,
                              [&](RankGroup& comm) {
                                if (comm.rank() == rank_id(1)) throw 7;
                                text = error_of<CommunicationError>([&] {
                                  std::vector<std::byte> bytes(1);
                                  test::finish(comm, *comm.receive(bytes, rank_id(1), 0));
                                  return 0;
                                });
                              }),
               int);
  EXPECT_THAT(text, testing::HasSubstr("that rank has ended with an exception of an unknown type"));
}

/// A group that knows who is missing and who is lost.
class Knowing final : public test::ForwardingCommunicator {
 public:
  using ForwardingCommunicator::ForwardingCommunicator;
  [[nodiscard]] std::string missing() override {
    ++roll_calls;
    return "rank 1 is missing";
  }
  [[nodiscard]] std::string lost() override { return is_lost ? "rank 1 is lost" : ""; }
  int roll_calls = 0;
  bool is_lost = false;
};

TEST(WaitForOthers, NamesTheCallAndWhoIsMissing) {
  const auto serial_group = serial();
  Knowing comm(*serial_group);
  const auto late = [&](Duration timeout) {
    return error_of<DeadlineError>([&] {
      wait_for_others(
          comm, [] { return false; }, timeout, "the halo");
      return 0;
    });
  };
  EXPECT_EQ(late(1ms), "the halo was not done before its deadline") << "too short for a roll call";
  EXPECT_EQ(comm.roll_calls, 0);
  {
    const Phase outer("realize()");
    const Phase inner("gather()");
    EXPECT_EQ(late(500ms), "rank 1 is missing: the halo was not done before its deadline in realize()");
  }
  EXPECT_EQ(comm.roll_calls, 1);
}

TEST(WaitForOthers, EndsLongBeforeItsTimeoutWhereARankIsLost) {
  const auto serial_group = serial();
  Knowing comm(*serial_group);
  comm.look_each(5ms);
  int asked = 0;
  wait_for_others(
      comm, [&] { return ++asked > 300; }, 1h, "the halo");
  EXPECT_EQ(asked, 301) << "nobody is lost, and it goes on";
  comm.is_lost = true;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(error_of<DeadlineError>([&] {
              wait_for_others(
                  comm, [] { return false; }, 1h, "the halo");
              return 0;
            }),
            "rank 1 is lost: the halo was not done before its deadline");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 60s);
  EXPECT_EQ(comm.roll_calls, 0);
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// Variables of this process, until the end.
class Variables {
 public:
  explicit Variables(Pairs all) : all_(std::move(all)) {
    for (const auto& [name, value] : all_) ::setenv(name.c_str(), value.c_str(), 1);
  }
  ~Variables() {
    for (const auto& [name, value] : all_) ::unsetenv(name.c_str());
  }
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

 private:
  Pairs all_;
};

/// A process with variables of its own and the name of a call, until the end.
class RankProcess {
 public:
  RankProcess(const std::string& job, const std::string& rank, const char* call) {
    const std::string space = "PMIX_NAMESPACE=" + job;
    const std::string number = "PMIX_RANK=" + rank;
    // The shell's own name is the call's.
    const std::string script = std::string("printf %s ") + call + " > /proc/$$/comm; echo; read end";
    int from[2];
    int to[2];
    if (::pipe(from) != 0 || ::pipe(to) != 0) std::abort();
    process_ = ::fork();
    if (process_ == 0) {
      ::dup2(from[1], STDOUT_FILENO);
      ::dup2(to[0], STDIN_FILENO);
      ::close(to[1]);
      const char* const environment[] = {"PATH=/usr/bin:/bin", space.c_str(), number.c_str(), nullptr};
      ::execle("/bin/sh", "sh", "-c", script.c_str(), nullptr, environment);
      ::_exit(1);
    }
    ::close(from[1]);
    ::close(to[0]);
    keeps_running_ = to[1];
    char begun = 0;
    EXPECT_EQ(::read(from[0], &begun, 1), 1);
    ::close(from[0]);
  }
  ~RankProcess() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    ::close(keeps_running_);
  }
  RankProcess(const RankProcess&) = delete;
  RankProcess& operator=(const RankProcess&) = delete;
  void stop() const {
    ::kill(process_, SIGSTOP);
    ::waitpid(process_, nullptr, WUNTRACED);
  }

 private:
  pid_t process_ = 0;
  int keeps_running_ = -1;
};

TEST(JobProcesses, AreMissingThatAreStoppedOrNotInTheCall) {
  const std::string job = "halocline-test-" + std::to_string(::getpid());
  EXPECT_EQ(missing_from("MPI_Barrier"), "") << "without a launcher nothing is known";
  const Variables mine(Pairs{{"PMIX_NAMESPACE", job}});
  EXPECT_EQ(missing_from("MPI_Barrier"), "") << "no process is seen";
  const RankProcess zero(job, "0", "MPI_Barrier");
  const RankProcess one(job, "1", "MPI_Barrier");
  const RankProcess other(job + "0", "2", "MPI_Send");
  const RankProcess unnumbered(job, "x", "MPI_Send");
  EXPECT_EQ(missing_from("MPI_Barrier"), "");
  EXPECT_EQ(missing_from("MPI_Barrier_of_a_long_name"), "ranks 0, 1 of MPI_COMM_WORLD are missing");
  EXPECT_EQ(missing_from(""), "") << "all run";
  one.stop();
  EXPECT_EQ(missing_from("MPI_Barrier"), "rank 1 of MPI_COMM_WORLD is missing");
  EXPECT_EQ(missing_from(""), "rank 1 of MPI_COMM_WORLD is missing");
  const RankProcess child_of_one(job, "1", "MPI_Barrier");
  EXPECT_EQ(missing_from("MPI_Barrier"), "") << "a rank may have started others";
}

TEST(JobProcesses, ThatHaveEndedAreKnownOnOneNode) {
  const std::string job = "halocline-test-" + std::to_string(::getpid()) + "-ended";
  const Variables mine(
      Pairs{{"PMIX_NAMESPACE", job}, {"OMPI_COMM_WORLD_SIZE", "3"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "3"}});
  EXPECT_TRUE(job_on_one_node());
  const RankProcess one(job, "1", "MPI_Barrier");
  EXPECT_EQ(missing_from("MPI_Barrier"), "ranks 0, 2 of MPI_COMM_WORLD are missing");
  const Variables several(Pairs{{"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}});
  EXPECT_FALSE(job_on_one_node());
  EXPECT_EQ(missing_from("MPI_Barrier"), "") << "others may be on another node";
}

TEST(JobProcesses, OfHydraAreCountedToo) {
  EXPECT_FALSE(job_on_one_node()) << "without a launcher";
  const Variables hydra(Pairs{{"PMI_SIZE", "2"}, {"MPI_LOCALNRANKS", "2"}});
  EXPECT_TRUE(job_on_one_node());
  const Variables wrong(Pairs{{"PMI_SIZE", "many"}});
  EXPECT_FALSE(job_on_one_node());
}

TEST(CommunicatorHandle, OwnsAGroupOrNothing) {
  EXPECT_EQ(error_of<InvalidArgument>([] { return Communicator(std::unique_ptr<RankGroup>()).size(); }),
            "the communicator of a domain is null");
  Communicator owner(serial());
  owner.set_timeout(7s);
  Communicator handle(owner);
  EXPECT_EQ(handle.timeout(), 7s);
  EXPECT_EQ(handle.release(), nullptr);
  Communicator other(serial());
  other = std::move(owner);
  EXPECT_EQ(other.timeout(), 7s) << "the group has another owner";
  EXPECT_EQ(&static_cast<RankGroup&>(other), &static_cast<RankGroup&>(handle));
  EXPECT_NE(other.release(), nullptr);
}

TEST(CommunicatorHandle, BackendsHaveNames) {
  EXPECT_EQ(to_string(CommBackend::serial), "serial");
  EXPECT_EQ(to_string(CommBackend::threads), "threads");
  EXPECT_EQ(to_string(CommBackend::mpi), "mpi");
  EXPECT_EQ(to_string(CommBackend::store), "store");
  EXPECT_EQ(to_string(static_cast<CommBackend>(9)), "unknown");
}

}  // namespace
}  // namespace halocline::comm
