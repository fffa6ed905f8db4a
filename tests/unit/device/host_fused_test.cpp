// SPDX-License-Identifier: BSD-3-Clause
// What only an exchange that is composed of other operations can have: errors while it is enqueued, branches, and how many operations there are.
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "device/host.hpp"
#include "device/tracer.hpp"
#include "unit/device/support.hpp"

namespace halocline::device::test {
namespace {

/// Delays the thread that enqueues copy lists until a flag wait has failed, and with it its stream.
class HoldUp final : public Injector {
 public:
  Injection before(Operation operation, int) override {
    if (operation != Operation::copy_list || flag == nullptr) return {};
    const Deadline deadline = patience();
    while (std::atomic_ref(flag->epoch).load() == 0 && !deadline.expired()) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return {};
  }
  Flag* flag = nullptr;
};

TEST(HostFused, AMessageThatFailsWhileTheExchangeIsEnqueuedFailsTheStream) {
  const auto hold_up = std::make_shared<HoldUp>();
  HostOptions options;
  options.workers = 1;
  options.injector = hold_up;
  options.one_operation_below_bytes = 0;
  const auto backend = make_host_backend(options);
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  const auto stream = backend->create_stream(0);
  signal_to(*stream, &at.one, &at.flags[0], 3);
  stream->synchronize();
  FusedPlan plan;
  const FlagWait ready{&at.flags[0], 4, guard("ready"), &at.flags[1]};
  plan.participants = {{&at.epoch, {}, {{ready, {}, {&at.flags[1], 4}}}, {}}};
  const auto exchange = backend->fuse(0, plan);
  hold_up->flag = &at.flags[1];
  const std::string text = thrown([&] {
    stream->run(*exchange);
    stream->synchronize();
  });
  EXPECT_EQ(text,
            "protocol: ready: the two sides disagree on which fields, buffers, directions and depths are exchanged: "
            "expected epoch 1 with "
            "token 0x0000000000000004, found epoch 1 with 0x0000000000000003");
  EXPECT_EQ(failure(*stream), text);  // and remains failed
  EXPECT_EQ(thrown([&] { exchange->check(); }), text);
}

/// The first part is refused; the second is sent all the same.
TEST(HostFused, APartThatFailsDoesNotHoldUpTheOthersOfItsOperation) {
  const auto backend = make_host(1, 1);
  const auto memory = make_page(*backend);
  FlagPage& at = page(*memory);
  const auto stream = backend->create_stream(0);
  signal_to(*stream, &at.one, &at.flags[0], 3);
  signal_to(*stream, &at.one, &at.flags[2], 4);
  FusedPlan plan;
  const FlagWait refused{&at.flags[0], 4, guard("refused"), nullptr};
  const FlagWait ready{&at.flags[2], 4, guard("ready"), nullptr};
  plan.participants = {{&at.epoch, {}, {{refused, {}, {&at.flags[1], 4}}, {ready, {}, {&at.flags[3], 4}}}, {}}};
  const auto exchange = backend->fuse(0, plan);
  stream->run(*exchange);
  EXPECT_NE(failure(*stream).find("refused: the two sides disagree"), std::string::npos);
  EXPECT_EQ(std::atomic_ref(at.flags[3].epoch).load(), 1u);
  EXPECT_EQ(std::atomic_ref(at.flags[1].epoch).load(), 0u);
}

/// The operations that were enqueued.
class Listing final : public Injector {
 public:
  Injection before(Operation operation, int) override {
    const std::lock_guard lock(mutex_);
    names_.emplace_back(to_string(operation));
    return {};
  }
  [[nodiscard]] std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(names_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> names_;
};

/// Two messages of a device to itself, each through a receive buffer.
FusedPlan two_messages(FlagPage& at, std::vector<std::byte>& cells, Tracer* tracer) {
  FusedPlan plan;
  plan.tracer = tracer;
  plan.track = "exchange";
  Participant self{&at.epoch, {}, {}, {}};
  for (std::size_t m = 0; m < 2; ++m) {
    Flag& ready = at.flags[2 * m];
    Flag& arrived = at.flags[2 * m + 1];
    std::byte* const own = cells.data() + 3 * m;
    const auto byte_to = [](std::byte* from, std::byte* to) { return StridedCopy{from, to, {}, {}, {1, 1, 1}, 1, {}}; };
    const TracedPart trace{m, 0, "message " + std::to_string(m)};
    self.outgoing.push_back(
        {{&ready, 1, guard("ready"), nullptr}, {byte_to(own, own + 1)}, {&arrived, 1}, 0, {}, trace});
    self.incoming.push_back(
        {{&ready, 1}, {&arrived, 1, guard("arrived"), nullptr}, {byte_to(own + 1, own + 2)}, 0, {}, trace});
  }
  plan.participants = {self};
  return plan;
}

TEST(HostFused, EnqueuesTheSameWithATracerThatDoesNotRecordAsWithout) {
  const auto listing = std::make_shared<Listing>();
  HostOptions options;
  options.injector = listing;
  const auto backend = make_host_backend(options);
  const auto memory = make_page(*backend);
  const auto stream = backend->create_stream(0);
  std::vector<std::byte> cells(6);
  Tracer tracer(*backend);
  const auto enqueued = [&](FusedExchange& exchange) {
    stream->synchronize();
    static_cast<void>(listing->take());
    stream->run(exchange);
    stream->synchronize();
    return listing->take();
  };
  const auto plain = backend->fuse(0, two_messages(page(*memory), cells, nullptr));
  const auto traced = backend->fuse(0, two_messages(page(*memory), cells, &tracer));
  const std::vector<std::string> without = enqueued(*plain);
  EXPECT_EQ(std::ranges::count(without, "copy list"), 3);  // two puts, and one for all that is unpacked
  EXPECT_EQ(std::ranges::count(without, "record"), 0);  // messages are branches, without streams that wait for events
  EXPECT_EQ(enqueued(*traced), without);

  tracer.start();
  EXPECT_GT(enqueued(*traced).size(), without.size());
  tracer.stop();
  const Trace trace = tracer.take();
  std::multiset<std::string> parts;
  for (const TracedRun& run : trace.runs) {
    EXPECT_LE(run.begin, run.end);
    parts.insert(std::string(to_string(trace.operations[run.operation].work)));
  }
  EXPECT_EQ(parts, (std::multiset<std::string>{"post ready", "wait ready", "wait ready", "put", "put", "post arrived",
                                               "post arrived", "wait arrived", "wait arrived", "unpack", "unpack"}));
  EXPECT_EQ(enqueued(*traced), without);
}

}  // namespace
}  // namespace halocline::device::test
