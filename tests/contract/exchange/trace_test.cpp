// SPDX-License-Identifier: BSD-3-Clause
// What a tracer records of an exchange: between two ranks as threads, the parts of each message at both of its ends, each once in a step;
// of messages that travel as one, the bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "contract/exchange/ranks.hpp"
#include "domain/internals.hpp"
#include "halocline/halocline.hpp"
#include "support/traced_exchanges.hpp"

namespace halocline::test {
namespace {

using namespace std::chrono_literals;
using device::Work;
using testing::AnyOf;
using testing::Contains;
using testing::Matcher;

class Traced : public testing::TestWithParam<routing::Transport> {};

TEST_P(Traced, each_message_has_its_runs_at_both_ends_in_each_step) {
  const std::uint64_t steps = 3;
  for (const Outcome& outcome : outcomes(2, [steps](comm::RankGroup& comm) {
         DomainOptions options = options_with(nullptr, GetParam(), 20s);
         options.internal = std::make_shared<InternalOptions>(InternalOptions{.trace = true});
         Domain domain({8, 8, 16}, Stencil::box(1), comm, options);
         domain.add_field<double>("u");
         domain.add_field<float>("v");
         domain.realize();
         domain.exchange();
         domain.synchronize();
         const device::Trace trace = traced_exchanges(domain, steps);

         std::map<std::tuple<std::size_t, Work, int, int>, std::uint64_t> runs;  // by message, part and device
         for (const device::TracedRun& run : trace.runs) {
           const device::TracedOperation& operation = trace.operations[run.operation];
           EXPECT_LE(run.begin, run.end);
           // A message of a subdomain to itself is listed for both ends.
           const std::set<std::size_t> listed(operation.messages.begin(), operation.messages.end());
           for (const std::size_t message : listed) ++runs[{message, operation.work, operation.part, operation.device}];
         }
         const auto messages = internals(domain).traced_messages();
         std::vector<std::set<Work>> works(messages.size());
         for (const auto& [of, times] : runs) {
           const auto& [message, work, part, device] = of;
           EXPECT_EQ(times, steps) << to_string(work) << " of message " << message << ", part " << part;
           works.at(message).insert(work);
         }
         std::set<routing::Transport> between;
         for (std::size_t m = 0; m < messages.size(); ++m) {
           if (messages[m].sender == messages[m].receiver) continue;
           between.insert(messages[m].transport);
           const Matcher<std::set<Work>> sends = Contains(AnyOf(Work::put, Work::copy, Work::send));
           const Matcher<std::set<Work>> receives = Contains(AnyOf(Work::wait_arrived, Work::receive));
           EXPECT_THAT(works[m], messages[m].sender == comm.rank() ? sends : receives) << "message " << m;
         }
         EXPECT_THAT(between, testing::ElementsAre(GetParam()));
         domain.close();
       })) {
    EXPECT_EQ(outcome.text, "");
  }
}

INSTANTIATE_TEST_SUITE_P(transports, Traced,
                         testing::Values(routing::Transport::direct, routing::Transport::ipc_copy,
                                         routing::Transport::mpi_staged, routing::Transport::mpi_device,
                                         routing::Transport::net),
                         [](const auto& param) { return std::string(routing::to_string(param.param)); });

/// The stream of the sender waits until the copy has left, and the receiver's for its event.
TEST(TracedCopies, ends_without_flags_wait_for_what_is_theirs) {
  DomainOptions options = options_with(nullptr, routing::Transport::peer_copy, 20s);
  options.internal = std::make_shared<InternalOptions>(InternalOptions{.trace = true});
  Domain domain({8, 8, 16}, Stencil::box(1), options);
  domain.add_field<double>("u");
  domain.realize();
  const device::Trace trace = traced_exchanges(domain, 1);
  const auto messages = internals(domain).traced_messages();
  int ends = 0;
  for (const device::TracedOperation& operation : trace.operations) {
    if (operation.work != Work::wait_arrived && operation.work != Work::wait_sent) continue;
    ASSERT_EQ(operation.messages.size(), 1U);
    const auto& message = messages.at(operation.messages.front());
    if (message.transport != routing::Transport::peer_copy) continue;
    const auto& end = operation.work == Work::wait_arrived ? message.to : message.from;
    EXPECT_EQ(operation.device, static_cast<int>(end.value())) << operation.track;
    ++ends;
  }
  EXPECT_GT(ends, 0);
  domain.close();
}

/// Messages that travel as one are packed, sent and unpacked by one operation each, which has the bytes of all.
TEST(TracedBundles, operations_that_pack_and_unpack_have_the_bytes_of_their_messages) {
  DomainOptions options = options_by_rank(nullptr, 20s);
  options.internal = std::make_shared<InternalOptions>(InternalOptions{.trace = true});
  Domain domain({8, 8, 16}, Stencil::box(1), options);
  domain.add_field({.name = "u", .element = Element::c128});  // payloads have no padding
  domain.realize();
  const device::Trace trace = traced_exchanges(domain, 1);
  const auto messages = internals(domain).traced_messages();
  std::map<Work, int> seen;
  for (const device::TracedOperation& operation : trace.operations) {
    if (operation.work != Work::pack && operation.work != Work::unpack && operation.work != Work::send) continue;
    std::int64_t bytes = 0;
    for (const std::size_t message : operation.messages) bytes += messages.at(message).bytes;
    EXPECT_EQ(operation.bytes, bytes) << operation.track;
    ++seen[operation.work];
  }
  const auto some = testing::Gt(0);
  EXPECT_THAT(seen, testing::UnorderedElementsAre(testing::Pair(Work::pack, some), testing::Pair(Work::unpack, some),
                                                  testing::Pair(Work::send, some)));
  domain.close();
}

/// A leader sends and receives for its node; a trace of a rank has only the rank's own messages.
TEST(TracedBundles, transfers_of_a_node_have_the_messages_of_their_rank) {
  std::atomic<int> transfers{0};
  for (const Outcome& outcome : outcomes(4, [&transfers](comm::RankGroup& comm) {
         DomainOptions options = options_with(nullptr, routing::Transport::mpi_staged, 20s);
         options.routing.messages = routing::Messages::by_node;
         options.machine.ranks_per_node = 2;
         options.routing.policy.order = {routing::Transport::self, routing::Transport::direct,
                                         routing::Transport::mpi_staged};
         options.internal = std::make_shared<InternalOptions>(InternalOptions{.trace = true});
         Domain domain({8, 8, 16}, Stencil::box(1), comm, options);
         domain.add_field<double>("u");
         domain.realize();
         const device::Trace trace = traced_exchanges(domain, 1);
         const auto messages = internals(domain).traced_messages();
         std::map<Work, std::set<std::size_t>> own;
         for (std::size_t m = 0; m < messages.size(); ++m) {
           if (messages[m].transport != routing::Transport::mpi_staged) continue;
           if (messages[m].sender == comm.rank()) own[Work::send].insert(m);
           if (messages[m].receiver == comm.rank()) own[Work::receive].insert(m);
         }
         for (const device::TracedOperation& operation : trace.operations) {
           if (operation.work != Work::send && operation.work != Work::receive) continue;
           EXPECT_THAT(operation.messages, testing::UnorderedElementsAreArray(own[operation.work])) << operation.track;
           ++transfers;
         }
         domain.close();
       })) {
    EXPECT_EQ(outcome.text, "");
  }
  EXPECT_EQ(transfers, 4) << "each of two nodes sends one and receives one";
}

}  // namespace
}  // namespace halocline::test
