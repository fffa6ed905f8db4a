// SPDX-License-Identifier: BSD-3-Clause
// What a user reads where devices cannot do what was asked, and the words for what they can.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "device/host.hpp"
#include "device/memory_account.hpp"
#include "device/tracer.hpp"
#include "halocline/devices.hpp"
#include "unit/device/support.hpp"

namespace halocline::device::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refusal_of_options(const std::function<void(HostOptions&)>& change) {
  HostOptions options;
  change(options);
  return thrown([&] { static_cast<void>(make_host_backend(options)); });
}

TEST(HostRefusals, NameTheOptionItsValueAndWhatIsAllowed) {
  EXPECT_EQ(refusal_of_options([](HostOptions& o) { o.devices = 0; }),
            "invalid argument: devices is 0; allowed is 1 or more");
  EXPECT_EQ(refusal_of_options([](HostOptions& o) { o.workers = -1; }),
            "invalid argument: workers is -1; allowed is 0 or more");
  EXPECT_EQ(refusal_of_options([](HostOptions& o) { o.ranks_on_node = 0; }),
            "invalid argument: ranks_on_node is 0; allowed is 1 or more");
  for (const int bytes : {0, 3, 128}) {
    EXPECT_EQ(
        refusal_of_options([&](HostOptions& o) { o.sector_bytes = bytes; }),
        "invalid argument: sector_bytes is " + std::to_string(bytes) + "; allowed are powers of two from 1 to 64");
  }
  EXPECT_EQ(refusal_of_options([](HostOptions& o) { o.clock = nullptr; }), "invalid argument: the clock is null");
  EXPECT_EQ(refusal_of_options([](HostOptions& o) { o.sector_bytes = 64; }), "");
}

TEST(HostRefusals, OfMemoryNameItsBytes) {
  const auto backend = make_host_backend({});
  const auto stream = backend->create_stream(0);
  std::array<std::byte, 8> memory{};
  EXPECT_EQ(thrown([&] { static_cast<void>(backend->register_host(nullptr, 8)); }),
            "invalid argument: the 8 bytes to register are null");
  EXPECT_EQ(thrown([&] { static_cast<void>(backend->register_host(nullptr, 0)); }), "");
  EXPECT_EQ(thrown([&] { stream->copy(nullptr, memory.data(), 8); }),
            "invalid argument: the target of a copy of 8 bytes is null");
  EXPECT_EQ(thrown([&] { stream->copy(memory.data(), nullptr, 8); }),
            "invalid argument: the source of a copy of 8 bytes is null");
  EXPECT_EQ(thrown([&] { stream->copy(nullptr, nullptr, 0); }), "");
  EXPECT_EQ(failure(*stream), "") << "nothing that was refused is enqueued";
}

TEST(HostRefusals, OfMappingsCountThePieces) {
  const auto backend = make_host_backend({});
  const std::array<MemoryHandle, 2> pieces{};
  for (const std::size_t count : {0U, 2U}) {
    EXPECT_EQ(thrown([&] {
                static_cast<void>(backend->map_range(0, {pieces.data(), count}));
              }),
              "capability: cannot map memory of " + std::to_string(count) + " pieces; allowed is one on these devices");
  }
  EXPECT_EQ(thrown([&] { static_cast<void>(backend->export_range(0, nullptr, 0)); }),
            "capability: these devices export the library's own memory alone");
  EXPECT_EQ(thrown([&] { static_cast<void>(backend->borrow_stream(0, nullptr)); }),
            "capability: streams of host devices are the backend's own; allowed are those of create_stream()");
}

TEST(HostRefusals, OfListsOfAnotherBackendComeBeforeTheyRun) {
  class Other final : public CopyList {
    [[nodiscard]] std::int64_t bytes() const override { return 0; }
  };
  class OtherExchange final : public FusedExchange {
    void check() override {}
    void stop() noexcept override {}
    [[nodiscard]] std::uint64_t* stamps() override { return nullptr; }
  };
  const auto backend = make_host_backend({});
  const auto stream = backend->create_stream(0);
  const auto mine = backend->prepare(0, {});
  const std::uint64_t epoch = 0;
  const Other other;
  EXPECT_EQ(thrown([&] { stream->copy(other); }),
            "invalid argument: the list of copies belongs to another backend than the stream");
  EXPECT_EQ(thrown([&] {
              stream->copy_in_turn(&epoch, {mine.get(), &other});
            }),
            "invalid argument: a list of copies in turn belongs to another backend than the stream");
  EXPECT_EQ(thrown([&] {
              stream->copy_in_turn(nullptr, {mine.get(), mine.get()});
            }).substr(0, 17),
            "invalid argument:");
  EXPECT_EQ(thrown([&] {
              OtherExchange exchange;
              stream->run(exchange);
            }),
            "invalid argument: the fused exchange belongs to another backend than the stream");
  EXPECT_EQ(failure(*stream), "");
}

TEST(HostRefusals, OfTimesSayWhatTheEventsLack) {
  HostOptions options;
  options.devices = 2;
  const auto backend = make_host_backend(options);
  const auto stream = backend->create_stream(0);
  const auto other_stream = backend->create_stream(1);
  const auto untimed = backend->create_event(0);
  const auto timed = backend->create_event(0, Timing::on);
  const auto later = backend->create_event(0, Timing::on);
  const auto other = backend->create_event(1, Timing::on);
  EXPECT_EQ(thrown([&] { static_cast<void>(later->since(*untimed)); }),
            "invalid argument: since: the event was made without timing");
  EXPECT_EQ(thrown([&] { static_cast<void>(later->since(*timed)); }),
            "invalid argument: since: the event's mark was not reached yet");
  stream->record(*timed);
  stream->record(*later);
  other_stream->record(*other);
  stream->synchronize();
  other_stream->synchronize();
  EXPECT_GE(later->since(*timed), Duration(0));
  EXPECT_EQ(thrown([&] { static_cast<void>(other->since(*timed)); }),
            "invalid argument: since: the events belong to devices 0 and 1; allowed is one device");
  const auto foreign = make_host_backend({})->create_event(0, Timing::on);
  EXPECT_EQ(thrown([&] { static_cast<void>(later->since(*foreign)); }),
            "invalid argument: the event belongs to another backend than the stream");
}

/// A stream of the user's own.
class Invented final : public halocline::Stream {
 public:
  [[nodiscard]] int device() const override { return 0; }
  void record(Event& /*event*/) override {}
  void wait(const Event& /*event*/) override {}
  void launch(const Box& /*box*/, std::function<void(const Box&)> /*body*/) override {}
  void host_function(std::function<void()> /*function*/) override {}
  [[nodiscard]] bool query() override { return true; }
  void synchronize() override {}
};

TEST(BackendRefusals, OfAStreamOfTheUsersOwn) {
  Invented invented;
  EXPECT_EQ(thrown([&] { static_cast<void>(stream_of(invented)); }),
            "invalid argument: a stream is none of Halocline's; allowed are those that Devices or a subdomain gives");
  const auto stream = make_host_backend({})->create_stream(0);
  EXPECT_EQ(&stream_of(*stream), stream.get());
}

/// What a backend does not override, as GPUs do not override copies in turn.
TEST(BackendRefusals, OfWhatOtherDevicesCan) {
  const auto backend = make_host_backend({});
  const auto stream = backend->create_stream(0);
  EXPECT_EQ(thrown([&] { stream->Stream::copy_in_turn(nullptr, {}); }),
            "capability: copies in turn are a part of the fused exchange on these devices");
  const Verdict verdict = backend->Backend::communicators();
  EXPECT_FALSE(verdict.yes);
  EXPECT_EQ(verdict.why_not, "these devices have no communicators");
}

TEST(BackendNames, OfOperationsAreWhatErrorsSay) {
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(Operation::graph); ++i)
    names.emplace_back(to_string(static_cast<Operation>(i)));
  EXPECT_THAT(names, ElementsAre("allocate", "export memory", "map memory", "copy", "copy list", "sum list",
                                 "reduction list", "advance", "expect", "signal", "wait for flags", "record",
                                 "wait for an event", "launch", "host function", "graph"));
  EXPECT_EQ(to_string(static_cast<Operation>(99)), "unknown");
}

TEST(BackendNames, OfMemoryNameHowItWasAllocated) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(MemoryKind::mapped); ++i) names.insert(to_string(static_cast<MemoryKind>(i)));
  EXPECT_EQ(names.size(), 6u);
  EXPECT_EQ(to_string(MemoryKind::managed), "managed memory (cudaMallocManaged)");
  EXPECT_EQ(to_string(static_cast<MemoryKind>(99)), "unknown memory");
}

TEST(BackendNames, OfTracedWorkAreAllDifferent) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(Work::boundary); ++i) names.insert(to_string(static_cast<Work>(i)));
  EXPECT_EQ(names.size(), 15u);
  EXPECT_EQ(thrown([] { static_cast<void>(to_string(static_cast<Work>(99))); }), "internal: a Work without a name");
}

TEST(DevicesHandle, RefusesADeviceThatDoesNotExist) {
  HostOptions options;
  options.devices = 2;
  const Devices devices(make_host_backend(options));
  EXPECT_EQ(devices.count(), 2);
  EXPECT_EQ(devices.info(1).name, "host device 1");
  for (const int device : {-1, 2}) {
    const std::string refusal = "invalid argument: device is " + std::to_string(device) + "; allowed are 0 to 1";
    EXPECT_EQ(thrown([&] { static_cast<void>(devices.info(device)); }), refusal);
    EXPECT_EQ(thrown([&] { static_cast<void>(devices.create_stream(device)); }), refusal);
    EXPECT_EQ(thrown([&] { static_cast<void>(devices.borrow_stream(device, nullptr)); }), refusal);
    EXPECT_EQ(thrown([&] { static_cast<void>(devices.create_event(device)); }), refusal);
  }
}

TEST(DevicesHandle, MakesStreamsAndEventsOfADevice) {
  HostOptions options;
  options.devices = 2;
  const Devices devices(make_host_backend(options));
  const auto stream = devices.create_stream(1);
  const auto begin = devices.create_event(1, Timing::on);
  const auto end = devices.create_event(1, Timing::on);
  int ran = 0;
  stream->record(*begin);
  stream->host_function([&] { ++ran; });
  stream->record(*end);
  stream->synchronize();
  EXPECT_EQ(stream->device(), 1);
  EXPECT_EQ(ran, 1);
  EXPECT_TRUE(end->query());
  EXPECT_GE(end->since(*begin), Duration(0));
}

TEST(DevicesHandle, KindsHaveNames) {
  EXPECT_EQ(halocline::to_string(DeviceKind::host), "host");
  EXPECT_EQ(halocline::to_string(DeviceKind::cuda), "cuda");
  EXPECT_EQ(halocline::to_string(static_cast<DeviceKind>(9)), "unknown");
  EXPECT_EQ(device_kind_of("host"), DeviceKind::host);
  EXPECT_EQ(device_kind_of("cuda"), DeviceKind::cuda);
  EXPECT_EQ(device_kind_of("auto"), std::nullopt);
  EXPECT_EQ(thrown([] { static_cast<void>(device_kind_of("gpu")); }),
            "invalid argument: backend is 'gpu'; allowed is one of auto host cuda");
}

TEST(MemoryAccounts, CountByDeviceAndPurposeUntilTheOwnerEnds) {
  const auto account = std::make_shared<MemoryAccount>();
  CountedBytes kept;
  {
    const CountMemory counting(*account, Purpose::cells);
    kept = CountedBytes(1, 100);
    const CountedBytes pinned(pinned_host, 10, Purpose::messages);
    {
      const CountMemory inner(Purpose::tables);
      const CountedBytes table(1, 7);
      EXPECT_EQ(account->bytes(1, Purpose::tables), 7);
      EXPECT_EQ(account->bytes(1), 107);
    }
    EXPECT_EQ(account->bytes(pinned_host, Purpose::messages), 10);
  }
  const CountedBytes uncounted(1, 1000);
  EXPECT_EQ(account->bytes(1, Purpose::cells), 100) << "moved, and counted once";
  EXPECT_EQ(account->bytes(1), 100);
  EXPECT_EQ(account->bytes(pinned_host), 0);
  EXPECT_EQ(account->bytes(0, Purpose::cells), 0);
  {
    CountedBytes owner;
    owner = std::move(kept);
    EXPECT_EQ(account->bytes(1), 100);
  }
  EXPECT_EQ(account->bytes(1), 0);
}

}  // namespace
}  // namespace halocline::device::test
