// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "device/host.hpp"
#include "discovery/nvml/power.hpp"
#include "support/forwarding_backend.hpp"
#include "support/manual_clock.hpp"

namespace halocline::machine {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// The test sets the power of the fake's GPUs.
class NvmlPower : public testing::Test {
 protected:
  NvmlPower() : library_(::dlopen(HALOCLINE_FAKE_NVML, RTLD_NOW | RTLD_LOCAL)) {
    draw_ = reinterpret_cast<void (*)(unsigned long long, unsigned)>(::dlsym(library_, "fake_nvml_draw"));
  }
  ~NvmlPower() override { ::dlclose(library_); }
  void draw(unsigned long long more_millijoules, unsigned milliwatts) { draw_(more_millijoules, milliwatts); }
  /// Over 2 s, with two readings of the sensor in addition to the first and the last.
  Power measure(const std::vector<std::string>& uuids) {
    nvml::Meter meter(HALOCLINE_FAKE_NVML, uuids, clock_);
    draw(7'000, 100'000);
    meter.start();
    for (const unsigned milliwatts : {300'000u, 500'000u}) {
      clock_.advance(1s);
      draw(600'000, milliwatts);
      meter.sample();
    }
    return meter.stop();
  }
  test::ManualClock clock_;

 private:
  void* library_;
  void (*draw_)(unsigned long long, unsigned) = nullptr;
};

TEST_F(NvmlPower, IsCountedEnergyOverTime) {
  const Power power = measure({"GPU-0"});
  EXPECT_DOUBLE_EQ(power.watts, 600) << "two times 600 J in 2 s; what was drawn before the start does not count";
  EXPECT_EQ(power.source, PowerSource::counted);
  EXPECT_EQ(power.why_not, "");
}

TEST_F(NvmlPower, IsTheMeanOfASensorWhereNothingCounts) {
  const Power power = measure({"GPU-1"});
  EXPECT_DOUBLE_EQ(power.watts, (100 + 300 + 500 + 500) / 4.0);
  EXPECT_EQ(power.source, PowerSource::sampled);
  EXPECT_THAT(power.why_not, HasSubstr("GPU GPU-1 does not count its energy"));
}

TEST_F(NvmlPower, IsTheLimitWhereNothingElseIsTold) {
  const Power power = measure({"GPU-3"});
  EXPECT_DOUBLE_EQ(power.watts, 700);
  EXPECT_EQ(power.source, PowerSource::rated);
  EXPECT_THAT(power.why_not, HasSubstr("GPU GPU-3 tells neither energy nor power"));
}

TEST_F(NvmlPower, OfSeveralGpusIsTheirSumAndTheWorstSource) {
  const Power two = measure({"GPU-0", "GPU-1"});
  EXPECT_DOUBLE_EQ(two.watts, 600 + 350);
  EXPECT_EQ(two.source, PowerSource::sampled);
  const Power three = measure({"GPU-3", "GPU-0", "GPU-1"});
  EXPECT_DOUBLE_EQ(three.watts, 700 + 600 + 350);
  EXPECT_EQ(three.source, PowerSource::rated);
  const Power unseen = measure({"GPU-0", "GPU-2"});
  EXPECT_EQ(unseen.watts, 0);
  EXPECT_EQ(unseen.source, PowerSource::none);
  EXPECT_THAT(unseen.why_not, HasSubstr("NVML does not see GPU GPU-2"));
}

TEST_F(NvmlPower, IsNotMeasuredInAnInstant) {
  nvml::Meter meter(HALOCLINE_FAKE_NVML, {"GPU-0", "GPU-1"}, clock_);
  meter.start();
  clock_.advance(PowerMeter::least - 1ms);
  draw(600'000, 300'000);
  const Power power = meter.stop();
  EXPECT_DOUBLE_EQ(power.watts, 1400);
  EXPECT_EQ(power.source, PowerSource::rated);
  EXPECT_THAT(power.why_not, HasSubstr("0.499 s are too short for NVML's counters; 0.5 s are needed"));
}

TEST_F(NvmlPower, OfACounterThatBeganAnewIsNotCounted) {
  nvml::Meter meter(HALOCLINE_FAKE_NVML, {"GPU-0"}, clock_);
  meter.start();
  clock_.advance(2s);
  draw(0ULL - 500'000, 300'000);
  const Power power = meter.stop();
  draw(500'000, 0);
  EXPECT_EQ(power.source, PowerSource::rated);
}

TEST_F(NvmlPower, SaysWhyThereIsNone) {
  nvml::Meter absent("no-such-nvml.so.1", {"GPU-0"}, clock_);
  absent.start();
  clock_.advance(2s);
  const Power power = absent.stop();
  EXPECT_EQ(power.source, PowerSource::none);
  EXPECT_THAT(power.why_not, HasSubstr("NVML was not found: no-such-nvml.so.1"));
}

TEST(PowerMeter, OfHostDevicesKnowsNothing) {
  const auto backend = device::make_host_backend({});
  const auto meter = make_power_meter(*backend);
  meter->start();
  meter->sample();
  const Power power = meter->stop();
  EXPECT_EQ(power.watts, 0);
  EXPECT_EQ(power.source, PowerSource::none);
  EXPECT_EQ(power.why_not, "host devices have no meter");
  EXPECT_EQ(to_string(power.source), "none");
}

/// Devices that say they are GPUs, and that no driver knows.
TEST(PowerMeter, OfGpusAsksNvml) {
  const test::ForwardingBackend backend(device::make_host_backend({}), {.kind = halocline::DeviceKind::cuda});
  const auto meter = make_power_meter(backend);
  meter->start();
  const Power power = meter->stop();
  EXPECT_EQ(power.source, PowerSource::none);
  EXPECT_THAT(power.why_not, testing::AnyOf(HasSubstr("NVML was not found: libnvidia-ml.so.1"),
                                            HasSubstr("NVML does not see GPU " + backend.info(0).uuid)));
}

TEST(PowerMeter, HasANameForEachSource) {
  EXPECT_EQ(to_string(PowerSource::none), "none");
  EXPECT_EQ(to_string(PowerSource::rated), "rated");
  EXPECT_EQ(to_string(PowerSource::sampled), "sampled");
  EXPECT_EQ(to_string(PowerSource::counted), "counted");
}

}  // namespace
}  // namespace halocline::machine
