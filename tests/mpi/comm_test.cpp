// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <filesystem>
#include <numeric>
#include <string>

#include "comm/detail/runtime.hpp"
#include "comm/mpi/check.hpp"
#include "comm/mpi/mpi_communicator.hpp"
#include "comm/requests.hpp"
#include "contract/comm/comm_contract.hpp"
#include "halocline/mpi.hpp"
#include "support/mpi_world.hpp"

// Requirements of the MPI backend only.
namespace halocline::test {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

TEST(MpiTwin, TheUsersOwnTrafficIsApart) {
  const auto comm = comm::from_mpi(MPI_COMM_WORLD, 20s).release();
  const int to = static_cast<int>(next(*comm).value()), from = static_cast<int>(previous(*comm).value());
  int theirs = 1000 + to, got = -1;
  MPI_Request user[2];
  MPI_Isend(&theirs, 1, MPI_INT, to, 6, MPI_COMM_WORLD, &user[0]);
  int ours = 2000 + to, received = -1;
  const auto receive = comm->receive(std::as_writable_bytes(std::span(&received, 1)), previous(*comm), 6);
  const auto send = comm->send(std::as_bytes(std::span(&ours, 1)), next(*comm), 6);
  finish(*comm, *receive);
  MPI_Irecv(&got, 1, MPI_INT, from, MPI_ANY_TAG, MPI_COMM_WORLD, &user[1]);
  MPI_Waitall(2, user, MPI_STATUSES_IGNORE);
  finish(*comm, *send);
  EXPECT_EQ(received, 2000 + comm->rank().value());
  EXPECT_EQ(got, 1000 + comm->rank().value());
  comm->close();
}

TEST(MpiTwin, LeavesTheUsersCommunicatorAsItWas) {
  MPI_Comm users = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &users);
  MPI_Comm_set_errhandler(users, MPI_ERRORS_ARE_FATAL);
  const auto comm = comm::from_mpi(users, 20s).release();
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(users, &handler);
  EXPECT_TRUE(handler == MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&users);
  comm->barrier();  // remains valid
  comm->close();
}

TEST(MpiTwin, RefusesWhatIsNotAnIntraCommunicator) {
  EXPECT_THAT(message_of<InvalidArgument>([] { (void)comm::from_mpi(MPI_COMM_NULL); }), HasSubstr("MPI_COMM_NULL"));
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size == 1) return;
  // Rank 0, and the others.
  MPI_Comm part = MPI_COMM_NULL, between = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 0 : 1, rank, &part);
  MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 7, &between);
  EXPECT_EQ(message_of<InvalidArgument>([&] { (void)comm::from_mpi(between); }),
            "from_mpi: the communicator is an inter-communicator; allowed is an intra-communicator");
  MPI_Comm_free(&between);
  MPI_Comm_free(&part);
}

TEST(MpiTwin, ACheckSaysWhatWhyAndWhere) {
  EXPECT_NO_THROW(comm::mpi::check(MPI_SUCCESS, "MPI_Something"));
  const auto message = message_of<CommunicationError>([] { comm::mpi::check(MPI_ERR_RANK, "MPI_Something"); });
  EXPECT_THAT(message, HasSubstr("MPI_Something failed: "));
  EXPECT_THAT(message, HasSubstr("invalid rank"));
  EXPECT_THAT(message, HasSubstr("(comm_test.cpp:"));
}

TEST(MpiTwin, AnErrorOfMpiIsThrownNotFatal) {
  const auto comm = comm::mpi::duplicate(MPI_COMM_WORLD, 20s);
  MPI_Comm raw = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &raw);
  comm::mpi::MpiCommunicator owner(raw, 20s);
  int value = 0;
  EXPECT_THROW(comm::mpi::check(MPI_Send(&value, 1, MPI_INT, 1 << 20, 0, raw), "MPI_Send"), CommunicationError);
  owner.close();
  comm->close();
}

TEST(MpiTwin, ItsThreadLevelIsMpis) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_SERIALIZED) GTEST_SKIP() << "this MPI allows calls from the main thread only";
  EXPECT_EQ(comm::runtime::thread_level().name,
            level == MPI_THREAD_MULTIPLE ? "MPI_THREAD_MULTIPLE" : "MPI_THREAD_SERIALIZED");
  EXPECT_TRUE(comm::runtime::thread_level().any_thread);
  EXPECT_EQ(mpi_world().concurrent().yes, level == MPI_THREAD_MULTIPLE);
}

/// Messages larger than one count, with a limit of 1000 instead of 2^31-1.
TEST(MpiTwin, MoreBytesThanACountHoldsGoThrough) {
  const auto comm = comm::mpi::duplicate(MPI_COMM_WORLD, 20s, 1000);
  for (const std::size_t bytes : {999UL, 1000UL, 1001UL, 2000UL, 123'457UL}) {
    std::vector<std::byte> out(bytes), in(bytes), expected(bytes);
    for (std::size_t i = 0; i < bytes; ++i) {
      out[i] = static_cast<std::byte>(i * 7 + comm->rank().index());
      expected[i] = static_cast<std::byte>(i * 7 + previous(*comm).index());
    }
    const auto receive = comm->receive(in, previous(*comm), 1);
    const auto send = comm->send(out, next(*comm), 1);
    finish(*comm, *receive);
    finish(*comm, *send);
    EXPECT_EQ(in, expected) << bytes;

    std::fill(in.begin(), in.end(), std::byte{0});
    const auto persistent = comm->persistent_receive(in, previous(*comm), 2);
    const auto started = comm->persistent_send(out, next(*comm), 2);
    persistent->start();
    started->start();
    finish(*comm, *persistent);
    finish(*comm, *started);
    EXPECT_EQ(in, expected) << bytes;

    auto text = comm->rank() == rank_id(0) ? out : std::vector<std::byte>();
    comm->broadcast(text, rank_id(0));
    EXPECT_EQ(text.size(), bytes);
    EXPECT_EQ(text[bytes - 1], static_cast<std::byte>((bytes - 1) * 7));

    const auto all = comm->all_gather(std::span(out).first(bytes - comm->rank().index()));
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      ASSERT_EQ(all[rank].size(), bytes - rank);
      for (std::size_t i = 0; i < all[rank].size(); ++i) ASSERT_EQ(all[rank][i], static_cast<std::byte>(i * 7 + rank));
    }
    std::vector<double> values(bytes / 8, 1.0);
    comm->all_reduce(values, comm::Reduction::sum);
    EXPECT_EQ(values.back(), static_cast<double>(comm->size()));
  }
  // Lengths are checked across datatypes, too.
  for (const auto& [sent, room] : {std::pair(3000, 2999), std::pair(1500, 2500), std::pair(10, 2500)}) {
    std::vector<std::byte> out(static_cast<std::size_t>(sent)), in(static_cast<std::size_t>(room));
    const auto receive = comm->receive(in, previous(*comm), 1);
    const auto send = comm->send(out, next(*comm), 1);
    finish(*comm, *send);
    EXPECT_THAT(message_of<CommunicationError>([&, &r = receive] { finish(*comm, *r); }),
                HasSubstr("the message has " + std::to_string(sent) + " bytes; expected were " + std::to_string(room)));
  }
  comm->close();
}

TEST(MpiTwin, BothSidesMayLayTheSameBytesOutDifferently) {
  const auto narrow = comm::mpi::duplicate(MPI_COMM_WORLD, 20s, 100);
  if (narrow->size() >= 2 && narrow->rank().value() < 2) {
    // One group receives as MPI_BYTE, the other sends as blocks.
    std::vector<std::byte> in(250), out(250, std::byte{9});
    comm::mpi::Layout blocks(250, 100), plain(250);
    EXPECT_EQ(blocks.count(), 1);
    EXPECT_EQ(plain.count(), 250);
    MPI_Request request = MPI_REQUEST_NULL;
    const int peer = 1 - static_cast<int>(narrow->rank().value());
    MPI_Irecv(in.data(), plain.count(), plain.type(), peer, 77, MPI_COMM_WORLD, &request);
    MPI_Send(out.data(), blocks.count(), blocks.type(), peer, 77, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(in, out);
  }
  narrow->close();
}

TEST(MpiTwin, ADuplicationOfWhichARankStaysAwayEndsAtTheDeadline) {
  auto& world = mpi_world();
  if (world.size() == 1) GTEST_SKIP() << "nobody to wait for";
  MPI_Comm users = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &users);
  if (world.rank().value() != world.size() - 1) {
    EXPECT_THAT(message_of<DeadlineError>([&] { (void)comm::from_mpi(users, 100ms); }), HasSubstr("MPI_Comm_idup"));
  }
  world.barrier();
  // The late rank completes the duplication that timed out, so that MPI can continue.
  if (world.rank().value() == world.size() - 1) comm::from_mpi(users, 20s).release()->poison();
  world.barrier();
}

TEST(MpiTwin, RanksThatWaitAreNotMissing) {
  const auto node = mpi_world().split_by_node(std::nullopt);
  if (node->rank() == rank_id(0)) {
    // A rank that gets no core for a while answers too late, but not each time.
    std::string missing = node->missing();
    for (int again = 0; again < 20 && !missing.empty(); ++again) missing = node->missing();
    EXPECT_EQ(missing, "");
  }
  node->barrier();
  node->close();
}

/// How long ranks take leave of each other and of the last one, which comes later, after a roll call that it answers or not.
double seconds_of_leave(bool last_answers) {
  const auto comm = comm::from_mpi(MPI_COMM_WORLD, 20s).release();
  comm->barrier();
  const Clock& clock = Clock::steady();
  double seconds = 0;
  if (comm->rank().value() + 1 == comm->size()) {
    for (const Deadline deadline(clock, last_answers ? 600ms : 300ms); !deadline.expired();) {
      std::this_thread::sleep_for(1ms);
      if (last_answers) comm::runtime::attend();
    }
    comm->take_leave();
  } else {
    std::string missing = comm->missing();
    for (int again = 0; again < 2 && last_answers && !missing.empty(); ++again) missing = comm->missing();
    EXPECT_EQ(missing.empty(), last_answers) << missing;
    const Duration begun = clock.now();
    comm->take_leave();
    seconds = std::chrono::duration<double>(clock.now() - begun).count();
  }
  mpi_world().barrier();
  comm->close();
  return seconds;
}

TEST(MpiTwin, NoRankWaitsForTheLeaveOfOneThatDidNotAnswerTheRoll) {
  const auto node = mpi_world().split_by_node(std::nullopt);
  const bool one_node = node->size() == mpi_world().size();
  node->close();
  if (!one_node) GTEST_SKIP() << "ranks on several nodes call no roll";
  const double with_all = seconds_of_leave(true);
  const double with_some = seconds_of_leave(false);
  if (mpi_world().rank().value() + 1 == mpi_world().size()) return;  // it is the one that is late
  EXPECT_GE(with_all, 0.15) << "0.2 s, if the last rank does not come";
  EXPECT_LT(with_some, 0.15) << "the last rank is missing";
}

TEST(MpiTwin, SharedWindowsLeaveNoNamesBehind) {
  auto& world = mpi_world();
  const auto window = world.shared_window(1 << 20);
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
    EXPECT_THAT(entry.path().string(), testing::Not(HasSubstr("halocline")));
  }
  world.barrier();
}

}  // namespace
}  // namespace halocline::test
