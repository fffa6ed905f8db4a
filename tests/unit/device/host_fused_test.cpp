// SPDX-License-Identifier: BSD-3-Clause
// Errors that only a backend which composes an exchange of other operations can have.
#include <gtest/gtest.h>

#include <thread>

#include "core/clock.hpp"
#include "device/host.hpp"
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

}  // namespace
}  // namespace halocline::device::test
