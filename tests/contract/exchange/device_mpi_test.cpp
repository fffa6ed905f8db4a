// SPDX-License-Identifier: BSD-3-Clause
// The trial of MPI on device memory, with a RankGroup that claims to support it: the delivered bytes decide.
#include "exchange/detail/device_mpi.hpp"
#include "comm/local_ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "device/host.hpp"
#include "halocline/session.hpp"
#include "ranks.hpp"
#include "support/error_of.hpp"
#include "support/forwarding_backend.hpp"
#include "support/forwarding_communicator.hpp"

namespace halocline::test {
namespace {

using comm::DeviceSupport;
using testing::Each;
using testing::HasSubstr;

/// The verdicts of the ranks, on devices that pretend to be GPUs.
std::vector<std::string> why_not(int ranks, const std::function<void(ForwardingCommunicator&)>& spoil) {
  std::vector<std::string> all(static_cast<std::size_t>(ranks));
  comm::run_as_threads(ranks, [&](comm::RankGroup& inner) {
    ForwardingBackend backend(device::make_host_backend({}), {.kind = halocline::DeviceKind::cuda});
    ForwardingCommunicator comm(inner);
    comm.support = {DeviceSupport::Verdict::yes, ""};
    comm.set_timeout(std::chrono::seconds(4));
    spoil(comm);
    const Verdict answer = exchange::try_device_mpi(comm, backend, 0);
    EXPECT_EQ(answer.yes, answer.why_not.empty());
    all[inner.rank().index()] = answer.why_not;
    EXPECT_TRUE(!answer.yes || comm.sent == 2) << "a small and a large message";
  });
  return all;
}

TEST(DeviceMpi, what_arrives_is_believed) {
  EXPECT_THAT(why_not(3, [](auto&) {}), Each(""));
  EXPECT_THAT(why_not(2, [](auto&) {}), Each(""));
}

TEST(DeviceMpi, a_rank_alone_has_nobody_to_send_to) {
  EXPECT_THAT(why_not(1, [](auto& comm) { comm.fail_to_send = true; }), Each(HasSubstr("there is one rank")));
}

TEST(DeviceMpi, it_is_not_tried_where_a_library_does_not_say_yes) {
  for (const auto verdict : {DeviceSupport::Verdict::no, DeviceSupport::Verdict::unknown}) {
    const auto all = why_not(3, [verdict](auto& comm) {
      comm.fail_to_send = true;  // must not be tried
      if (comm.rank() == rank_id(1)) comm.support = {verdict, "no GPUs here"};
    });
    EXPECT_THAT(all, Each("rank 1: no GPUs here"));
  }
  const auto alike = why_not(3, [](auto& comm) { comm.support = {DeviceSupport::Verdict::no, "no GPUs here"}; });
  EXPECT_THAT(alike, Each("no GPUs here"));
}

TEST(DeviceMpi, a_wrong_byte_in_a_large_message_is_a_no_on_all_ranks) {
  const auto all = why_not(3, [](auto& comm) { comm.spoil_large = comm.rank() == rank_id(2); });
  EXPECT_THAT(all, Each("rank 0: of 262144 bytes of device memory, MPI delivered others than rank 2 sent"));
}

TEST(DeviceMpi, a_failure_of_a_device_is_an_error_on_all_ranks) {
  std::vector<std::string> errors(3);
  comm::run_as_threads(3, [&](comm::RankGroup& inner) {
    // Its third copy brings what has arrived to the host.
    const auto injector = std::make_shared<FailNth>(device::Operation::copy, inner.rank() == rank_id(1) ? 3 : -1);
    ForwardingBackend backend(device::make_host_backend({.injector = injector}), {.kind = halocline::DeviceKind::cuda});
    ForwardingCommunicator comm(inner);
    comm.support = {DeviceSupport::Verdict::yes, ""};
    comm.set_timeout(std::chrono::seconds(4));
    errors[inner.rank().index()] =
        error_of<Error>([&] { static_cast<void>(exchange::try_device_mpi(comm, backend, 0)); });
  });
  EXPECT_THAT(errors, Each(HasSubstr("rank 1: planted")));
}

TEST(DeviceMpi, an_error_is_a_no_on_all_ranks) {
  const auto all = why_not(3, [](auto& comm) { comm.fail_to_send = comm.rank() == rank_id(1); });
  EXPECT_THAT(all, Each(HasSubstr("rank 1: planted")));
}

}  // namespace
}  // namespace halocline::test
