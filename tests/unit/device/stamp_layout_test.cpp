// SPDX-License-Identifier: BSD-3-Clause
// Which operations the time stamps of a fused exchange make.
#include "device/cuda/stamp_layout.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "device/host.hpp"
#include "device/tracer.hpp"

namespace halocline::device::cuda {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Two messages out and two in, of which the second each are packets, and a copy within the device.
class StampLayoutTest : public testing::Test {
 protected:
  StampLayoutTest() {
    const auto cells = [](std::int64_t bytes) {
      return std::vector{StridedCopy{nullptr, nullptr, {}, {}, {bytes, 1, 1}, 1, {}}};
    };
    FusedPlan plan;
    plan.tracer = &tracer_;
    plan.track = "exchange";
    plan.local_messages = {4};
    plan.local = cells(7);
    Participant all;
    for (std::size_t m = 0; m < 2; ++m) {
      all.outgoing.push_back({{}, cells(10), {}, 0, {}, {m, 0, "send " + std::to_string(m)}});
      all.incoming.push_back({{&flag_, 1}, {}, cells(20), 0, {}, {m + 2, 0, "receive " + std::to_string(m)}});
    }
    plan.participants = {all};
    // Two blocks send message 0; the second of them also receives message 2, as the first block's chain goes on.
    std::vector<Work> work;
    for (const auto& [role, part] : std::vector<std::pair<Role, std::uint32_t>>{
             {Role::send, 0}, {Role::send, 0}, {Role::put, 1}, {Role::local, 0}, {Role::receive, 0}, {Role::take, 1}}) {
      work.emplace_back();
      work.back().share.role = role;
      work.back().share.part = part;
    }
    layout_.emplace(0, plan, work);
    stamps_.resize(layout_->words());
    room_ = layout_->room(stamps_.data());
    room_.coordinator[0] = 100;
    room_.coordinator[1] = 110;
    room_.arrivals[0] = 150;
    const std::vector<ShareStamps> times = {{101, 120, 140}, {102, 118, 145}, {103, 103, 130},
                                            {104, 104, 160}, {141, 152, 170}, {131, 135, 165}};
    std::copy(times.begin(), times.end(), room_.shares);
  }

  [[nodiscard]] std::vector<std::string> operations() {
    const std::vector<TracedOperation> described = [&] {
      tracer_.start();
      return tracer_.take().operations;
    }();
    std::vector<std::string> texts;
    for (const auto& [operation, begin, end] : layout_->operations(stamps_.data())) {
      const TracedOperation& of = described.at(operation);
      std::string text = std::string(to_string(of.work)) + " [" + of.track + "]";
      for (const std::size_t message : of.messages) text += " " + std::to_string(message);
      if (of.part != 0) text += ", part " + std::to_string(of.part);
      if (of.bytes > 0) text += ", " + std::to_string(of.bytes) + " B";
      texts.push_back(text + ": " + std::to_string(begin) + " to " + std::to_string(end));
    }
    return texts;
  }

  std::shared_ptr<Backend> backend_ = make_host_backend({});
  Tracer tracer_{*backend_};
  Flag flag_;
  std::optional<StampLayout> layout_;
  std::vector<std::uint64_t> stamps_;
  StampRoom room_;
};

TEST_F(StampLayoutTest, MakesOneOperationForEachThingThatTheBlocksOfAPartDo) {
  EXPECT_THAT(operations(),
              ElementsAre("post ready [exchange] 2 3: 100 to 110", "copy [exchange: within] 4, 7 B: 104 to 160",
                          "wait ready [send 0] 0: 101 to 118", "put [send 0] 0, 10 B: 118 to 145",
                          "post arrived [send 0] 0: 145 to 145", "wait ready [send 1] 1: 103 to 103",
                          "put [send 1] 1, 10 B: 103 to 130", "post arrived [send 1] 1: 130 to 130",
                          "wait arrived [receive 0] 2: 100 to 150", "unpack [receive 0] 2, 20 B: 152 to 170",
                          "wait arrived [receive 1] 3: 100 to 135", "unpack [receive 1] 3, 20 B: 135 to 165"));
}

TEST_F(StampLayoutTest, HasAnArrivalWhereABlockSawItBeforeTheCoordinator) {
  room_.arrivals[0] = 156;
  const std::vector<std::string> found = operations();
  EXPECT_THAT(found, testing::Contains("wait arrived [receive 0] 2: 100 to 152"));
}

TEST_F(StampLayoutTest, LeavesOutWhatAFailedExchangeHasNotDone) {
  std::fill(stamps_.begin() + 1, stamps_.end(), 0);  // block 0 began, and all gave up
  EXPECT_THAT(operations(), IsEmpty());
}

}  // namespace
}  // namespace halocline::device::cuda
