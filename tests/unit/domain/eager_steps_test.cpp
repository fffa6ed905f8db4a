// SPDX-License-Identifier: BSD-3-Clause
// What the host does for a step beside the calls of the devices' runtime: allocations, counted on devices that do nothing. A program of
// its own, because it replaces operator new.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "device/host.hpp"
#include "halocline/halocline.hpp"
#include "support/forwarding_backend.hpp"

namespace {

thread_local std::int64_t allocations = 0;

void* counted(std::size_t bytes) noexcept {
  ++allocations;
  return std::malloc(bytes);
}

void* counted_or_throw(std::size_t bytes) {
  if (void* memory = counted(bytes)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t bytes) { return counted_or_throw(bytes); }
void* operator new[](std::size_t bytes) { return counted_or_throw(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return counted(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return counted(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

namespace halocline {
namespace {

struct IdleEvent final : Event {
  [[nodiscard]] bool query() const override { return true; }
  [[nodiscard]] Duration since(const Event&) const override { return {}; }
};

struct IdleGraph final : device::Graph {};

/// All work is done at once, by nobody.
class IdleStream final : public device::Stream {
 public:
  explicit IdleStream(int device) : device_(device) {}
  using device::Stream::wait;
  [[nodiscard]] int device() const override { return device_; }
  void record(Event&) override { ++calls; }
  void wait(const Event&) override { ++calls; }
  void launch(const Box&, std::function<void(const Box&)>) override { ++calls; }
  void host_function(std::function<void()>) override { ++calls; }
  [[nodiscard]] bool query() override { return true; }
  void synchronize() override {}
  void copy(std::byte*, const std::byte*, std::size_t) override { ++calls; }
  void copy(const device::StridedCopy&) override { ++calls; }
  void copy(const device::CopyList&) override { ++calls; }
  void add(const device::SumList&) override { ++calls; }
  void reduce(const device::ReductionList&) override { ++calls; }
  void run(device::FusedExchange&, std::uint64_t*) override { ++calls; }
  void advance(std::uint64_t*, std::span<const device::FlagSignal>) override { ++calls; }
  void signal(const std::uint64_t*, std::span<const device::FlagSignal>) override { ++calls; }
  void wait(const std::uint64_t*, std::span<const device::FlagWait>) override { ++calls; }
  void expect(std::span<const device::CounterCheck>) override { ++calls; }
  void begin_capture() override { capturing_ = true; }
  [[nodiscard]] std::unique_ptr<device::Graph> end_capture() override {
    capturing_ = false;
    return std::make_unique<IdleGraph>();
  }
  [[nodiscard]] bool capturing() const override { return capturing_; }
  void launch(device::Graph&) override { ++calls; }
  void raise_failure() override {}

  static inline std::int64_t calls = 0;  ///< of all

 private:
  int device_;
  bool capturing_ = false;
};

class IdleBackend final : public test::ForwardingBackend {
 public:
  explicit IdleBackend(int devices) : ForwardingBackend(device::make_host_backend(of(devices)), {}) {}
  std::unique_ptr<device::Stream> create_stream(int device, device::Priority, std::string_view) override {
    return std::make_unique<IdleStream>(device);
  }
  std::unique_ptr<Event> create_event(int, Timing) override { return std::make_unique<IdleEvent>(); }
  std::unique_ptr<device::FusedExchange> fuse(int, const device::FusedPlan&) override {
    return std::make_unique<device::FusedExchange>();
  }

 private:
  static device::HostOptions of(int devices) {
    device::HostOptions host;
    host.devices = devices;
    return host;
  }
};

/// Domains of two fields with two buffers on 1 and 2 devices.
class EagerSteps : public testing::TestWithParam<int> {
 protected:
  EagerSteps() : domain({16, 12, 8}, Stencil::box(1), options(GetParam())) {
    u = domain.add_field<double>("u", {.buffers = 2});
    v = domain.add_field<float>("v", {.buffers = 2});
    domain.realize();
  }
  static DomainOptions options(int devices) {
    DomainOptions options;
    options.devices.existing.emplace(std::make_shared<IdleBackend>(devices));
    return options;
  }
  /// By a step, once both buffers have been exchanged.
  template <typename Step>
  std::int64_t allocated(const Step& step) {
    for (int i = 0; i < 4; ++i) step();
    const std::int64_t calls = IdleStream::calls;
    const std::int64_t before = allocations;
    for (int i = 0; i < 10; ++i) step();
    const std::int64_t made = allocations - before;
    EXPECT_GE(IdleStream::calls, calls + 10 * GetParam()) << "nothing was enqueued";
    return made;
  }

  Domain domain;
  Field<double> u;
  Field<float> v;
};

TEST_P(EagerSteps, Exchange) {
  EXPECT_EQ(allocated([&] { domain.exchange(); }), 0);
}

TEST_P(EagerSteps, SwapAndSynchronize) {
  EXPECT_EQ(allocated([&] {
              domain.exchange();
              domain.swap(u);
              domain.swap(v);
              domain.synchronize();
            }),
            0);
}

TEST_P(EagerSteps, OverlappedExchange) {
  EXPECT_EQ(allocated([&] { domain.start_exchange().finish(); }), 0);
}

TEST_P(EagerSteps, SelectedTransfers) {
  const std::vector<Transfer> transfers{{.field = v}, {.field = u, .depth = 1}};
  EXPECT_EQ(allocated([&] { domain.exchange(transfers); }), 0);
}

TEST_P(EagerSteps, LaunchOfCapturedSteps) {
  Capture capture = domain.capture();
  domain.exchange();
  const Graph graph = capture.finish();
  EXPECT_EQ(allocated([&] { graph.launch(); }), 0);
}

INSTANTIATE_TEST_SUITE_P(Devices, EagerSteps, testing::Values(1, 2),
                         [](const auto& info) { return "Devices" + std::to_string(info.param); });

}  // namespace
}  // namespace halocline
