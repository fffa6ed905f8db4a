// SPDX-License-Identifier: BSD-3-Clause
// The parts of an exchange kernel in a trace, by its own time stamps.
#include <map>
#include <tuple>

#include "domain/internals.hpp"
#include "gpu/exchange/gpus.hpp"
#include "halocline/halocline.hpp"
#include "support/traced_exchanges.hpp"

namespace halocline::test {
namespace {

using device::TracedOperation;
using device::TracedRun;
using device::Work;

/// Two GPUs of one rank that a plane divides; by extent packets, pieces or rows.
class GpuTrace : public testing::TestWithParam<std::int64_t> {};

TEST_P(GpuTrace, HasThePartsOfEachMessageWithinItsExchange) {
  HALOCLINE_NEEDS_GPUS(2);
  if (const std::string why = without_peer_access(); !why.empty()) GTEST_SKIP() << why;
  const std::int64_t cells = GetParam();
  DomainOptions options;
  options.devices.existing.emplace(gpus_of_rank(0, 2));
  options.partition.method = partition::Method::given;
  options.partition.node_grid = Vec3{1, 1, 1};
  options.partition.device_grid = Vec3{1, 1, 2};
  options.internal = std::make_shared<InternalOptions>(InternalOptions{.trace = true});
  Domain domain(Vec3{cells, cells, 2 * cells}, Stencil::box(2), options);
  domain.add_field<float>("u");
  domain.add_field<double>("v");
  domain.realize();
  for (int i = 0; i < 3; ++i) domain.exchange();
  domain.synchronize();

  constexpr std::uint64_t steps = 4;
  const device::Trace trace = traced_exchanges(domain, steps);
  const auto messages = internals(domain).traced_messages();

  std::map<std::pair<int, std::uint64_t>, const TracedRun*> exchanges;
  for (const TracedRun& run : trace.runs) {
    const TracedOperation& operation = trace.operations[run.operation];
    if (operation.work == Work::exchange) exchanges[{operation.device, run.step}] = &run;
  }
  EXPECT_EQ(exchanges.size(), 2 * steps);
  // By work, message and part: how often.
  std::map<std::tuple<Work, std::size_t, int>, std::uint64_t> counts;
  for (const TracedRun& run : trace.runs) {
    const TracedOperation& operation = trace.operations[run.operation];
    const TracedRun& around = *exchanges.at({operation.device, run.step});
    const Duration known = trace.alignment.at(static_cast<std::size_t>(operation.device));
    EXPECT_LE(run.begin, run.end);
    EXPECT_GE(run.begin, around.begin - known) << to_string(operation.work);
    EXPECT_LE(run.end, around.end + known) << to_string(operation.work);
    if (operation.work == Work::put || operation.work == Work::wait_arrived) {
      ++counts[{operation.work, operation.messages.at(0), operation.part}];
    }
  }
  std::size_t direct = 0;
  for (std::size_t m = 0; m < messages.size(); ++m) {
    if (messages[m].transport != routing::Transport::direct) continue;
    ++direct;
    EXPECT_EQ((counts[{Work::put, m, 0}]), steps) << "message " << m;
    EXPECT_EQ((counts[{Work::wait_arrived, m, 0}]), steps) << "message " << m;
  }
  EXPECT_GT(direct, 0);
  for (const Duration alignment : trace.alignment) EXPECT_LT(alignment, std::chrono::milliseconds(1));
  domain.close();
}
INSTANTIATE_TEST_SUITE_P(cells, GpuTrace, testing::Values(16, 64, 256),
                         [](const auto& param) { return std::to_string(param.param); });

}  // namespace
}  // namespace halocline::test
