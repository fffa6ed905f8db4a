// SPDX-License-Identifier: BSD-3-Clause
// Drivers that do not support a query, or answer it in another way: what they do not tell is unknown, and the rest stays.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "discovery/nvml/power.hpp"
#include "discovery/nvml/read.hpp"
#include "discovery/serialise.hpp"
#include "support/manual_clock.hpp"

namespace halocline::machine {
namespace {

using namespace std::chrono_literals;

class NvmlAnswers : public testing::Test {
 protected:
  NvmlAnswers()
      : library_(::dlopen(HALOCLINE_FAKE_NVML, RTLD_NOW | RTLD_LOCAL)),
        refuse_(reinterpret_cast<void (*)(const char*)>(::dlsym(library_, "fake_nvml_refuse"))),
        tell_(reinterpret_cast<void (*)(const char*, unsigned)>(::dlsym(library_, "fake_nvml_tell"))) {}
  ~NvmlAnswers() override {
    refuse_("");
    tell_("", 0);
    ::dlclose(library_);
  }
  void refuse(const char* function) { refuse_(function); }
  void tell(const char* what, unsigned answer) { tell_(what, answer); }
  static NvmlReport read() { return nvml::read(HALOCLINE_FAKE_NVML); }

  void* library_;
  void (*refuse_)(const char*);
  void (*tell_)(const char*, unsigned);
  test::ManualClock clock_;
};

TEST_F(NvmlAnswers, ThatAreNotSupportedAreUnknownAndTheRestStays) {
  const NvmlReport usual = read();
  const std::vector<std::pair<const char*, std::function<void(NvmlReport&)>>> losses{
      {"nvmlSystemGetDriverVersion", [](NvmlReport& r) { r.driver = ""; }},
      {"nvmlDeviceGetPciInfo_v3", [](NvmlReport& r) { r.gpus[0].pci = ""; }},
      {"nvmlDeviceGetMemoryAffinity", [](NvmlReport& r) { r.gpus[0].numa = {}; }},
      {"nvmlDeviceGetCpuAffinity", [](NvmlReport& r) { r.gpus[0].cpus = {}; }},
      {"nvmlDeviceGetMaxPcieLinkWidth", [](NvmlReport& r) { r.gpus[0].pcie_lanes = 0; }},
      {"nvmlDeviceGetMaxClockInfo", [](NvmlReport& r) { r.gpus[0].memory_clock_mhz = 0; }},
      {"nvmlDeviceGetMemoryBusWidth", [](NvmlReport& r) { r.gpus[0].memory_bus_bits = 0; }},
      {"nvmlDeviceGetNvLinkVersion",
       [](NvmlReport& r) {
         for (NvmlLink& link : r.gpus[0].links) link.version = 0;
       }},
      {"nvmlDeviceGetGpuFabricInfoV", [](NvmlReport& r) { r.gpus[0].fabric = ""; }},
      {"nvmlDeviceGetP2PStatus", [](NvmlReport& r) { r.pairs[0].load_store = r.pairs[0].nvlink = Answer::unknown; }}};
  for (const auto& [function, lose] : losses) {
    refuse(function);
    const NvmlReport asked = read();
    NvmlReport expected = usual;
    lose(expected);
    EXPECT_FALSE(expected == usual) << function;
    EXPECT_EQ(asked.driver, expected.driver) << function;
    ASSERT_EQ(asked.gpus.size(), usual.gpus.size()) << function;
    EXPECT_TRUE(asked.gpus[0] == expected.gpus[0]) << function;
    EXPECT_TRUE(asked.pairs[0] == expected.pairs[0]) << function;
  }
  refuse("nvmlDeviceGetCurrPcieLinkGeneration");
  EXPECT_EQ(read().gpus[2].pcie_generation, 0) << "neither the most nor the present one";
}

TEST_F(NvmlAnswers, WithoutANameOfTheGpuLeaveItOut) {
  for (const char* function : {"nvmlDeviceGetUUID", "nvmlDeviceGetCount_v2"}) {
    refuse(function);
    EXPECT_TRUE(read().gpus.empty()) << function;
    EXPECT_EQ(read().why_not, "NVML sees no GPU") << function;
  }
}

TEST_F(NvmlAnswers, OfLanesThatNoSlotHasAreUnknown) {
  for (const auto& [told, known] : {std::pair{0u, 0}, {1u, 1}, {64u, 64}, {65u, 0}, {0xffffffffu, 0}}) {
    tell("lanes", told);
    EXPECT_EQ(read().gpus[0].pcie_lanes, known) << told;
  }
}

TEST_F(NvmlAnswers, HaveNumbersOfEachType) {
  struct Case {
    unsigned type, told;
    int known;
  };
  for (const auto& [type, told, known] : std::vector<Case>{{nvml::value_double, 25781, 25781},
                                                           {nvml::value_double, 2'000'000'000, 0},
                                                           {nvml::value_unsigned_int, 4'000'000'000, 0},
                                                           {nvml::value_unsigned_int, 7, 7},
                                                           {nvml::value_unsigned_long, 8, 8},
                                                           {nvml::value_unsigned_long_long, 9, 9},
                                                           {nvml::value_unsigned_long_long, 0x80000000, 0},
                                                           {nvml::value_signed_long_long, 10, 10},
                                                           {nvml::value_signed_long_long, 0xffffffff, 0},  // -1
                                                           {nvml::value_signed_int, 11, 11},
                                                           {nvml::value_signed_int, 0xffffffff, 0},  // -1
                                                           {nvml::value_unsigned_short, 65535, 65535},
                                                           {99, 12, 0}}) {
    tell("type of speed", type);
    tell("speed", told);
    ASSERT_EQ(read().gpus[0].links.size(), 2u);
    EXPECT_EQ(read().gpus[0].links[1].megabytes_per_second, known) << "type " << type << ", " << told;
  }
}

TEST_F(NvmlAnswers, NameWhatIsAtTheOtherEndOfALink) {
  using enum NvmlLink::Remote;
  for (const auto& [told, known] : {std::pair{nvml::remote_gpu, gpu},
                                    {nvml::remote_npu, cpu},
                                    {nvml::remote_switch, link_switch},
                                    {255u, unknown}}) {
    tell("remote", told);
    EXPECT_EQ(read().gpus[0].links[0].remote, known) << told;
  }
}

TEST_F(NvmlAnswers, NameWhereTwoGpusMeet) {
  using Ancestor = NvmlPair::Ancestor;
  for (const auto& [told, known] : {std::pair{nvml::topology_internal, Ancestor::board},
                                    {nvml::topology_single, Ancestor::pci_switch},
                                    {nvml::topology_multiple, Ancestor::pci_switches},
                                    {nvml::topology_host_bridge, Ancestor::host_bridge},
                                    {nvml::topology_numa, Ancestor::numa},
                                    {nvml::topology_system, Ancestor::node},
                                    {15u, Ancestor::unknown}}) {
    tell("ancestor", told);
    EXPECT_EQ(read().pair("GPU-1", "GPU-0").ancestor, known) << told;
  }
}

TEST_F(NvmlAnswers, OfAFabricThatIsNotUpAreNone) {
  EXPECT_NE(read().gpus[0].fabric, "");
  tell("fabric", nvml::fabric_completed - 1);
  EXPECT_EQ(read().gpus[0].fabric, "") << "still in progress";
  tell("fabric", nvml::fabric_completed);
  tell("status of the fabric", 999);
  EXPECT_EQ(read().gpus[0].fabric, "") << "completed, and failed";
}

TEST_F(NvmlAnswers, OfPowerThatFailLeaveTheNextBestOne) {
  const auto measure = [&](const char* gpu, const char* refused_meanwhile) {
    nvml::Meter meter(HALOCLINE_FAKE_NVML, {gpu}, clock_);
    meter.start();
    clock_.advance(2s);
    refuse(refused_meanwhile);
    const Power power = meter.stop();
    refuse("");
    return power;
  };
  const Power uncounted = measure("GPU-0", "nvmlDeviceGetTotalEnergyConsumption");
  EXPECT_EQ(uncounted.source, PowerSource::rated) << "the counter was there at the start only";
  EXPECT_EQ(uncounted.watts, 700);
  const Power unlimited = measure("GPU-3", "nvmlDeviceGetEnforcedPowerLimit");
  EXPECT_EQ(unlimited.source, PowerSource::none);
  EXPECT_EQ(unlimited.why_not, "GPU GPU-3 tells neither energy nor power");
  tell("limit", 0);
  EXPECT_EQ(measure("GPU-3", "").source, PowerSource::none) << "a limit of 0 is none";
}

TEST_F(NvmlAnswers, OfNoGpusAreNoPower) {
  nvml::Meter meter(HALOCLINE_FAKE_NVML, {}, clock_);
  meter.start();
  clock_.advance(2s);
  EXPECT_EQ(meter.stop().why_not, "there are no GPUs");
}

/// Ranks of a node tell each other what NVML has told them.
TEST(NvmlMembers, AreAllSent) {
  const NvmlLink link{NvmlLink::Remote::gpu, "b", 6, 12500};
  const NvmlReport sent{{{"A", "a", {1}, {2}, 5, 16, 3201, 6144, {link}, "f/7"}},
                        {{"A", "B", NvmlPair::Ancestor::numa, Answer::yes, Answer::no}},
                        "580.1",
                        ""};
  EXPECT_TRUE(from_bytes<NvmlReport>(to_bytes(sent)) == sent);
  const std::vector<std::pair<const char*, std::function<void(NvmlReport&)>>> changes{
      {"uuid", [](NvmlReport& r) { r.gpus[0].uuid = "C"; }},
      {"pci", [](NvmlReport& r) { r.gpus[0].pci = "c"; }},
      {"numa",
       [](NvmlReport& r) {
         r.gpus[0].numa = {1, 2};
       }},
      {"cpus", [](NvmlReport& r) { r.gpus[0].cpus = {}; }},
      {"generation", [](NvmlReport& r) { r.gpus[0].pcie_generation = 4; }},
      {"lanes", [](NvmlReport& r) { r.gpus[0].pcie_lanes = 8; }},
      {"clock", [](NvmlReport& r) { r.gpus[0].memory_clock_mhz = 1; }},
      {"bus", [](NvmlReport& r) { r.gpus[0].memory_bus_bits = 1; }},
      {"remote", [](NvmlReport& r) { r.gpus[0].links[0].remote = NvmlLink::Remote::cpu; }},
      {"remote address", [](NvmlReport& r) { r.gpus[0].links[0].remote_pci = "d"; }},
      {"version", [](NvmlReport& r) { r.gpus[0].links[0].version = 7; }},
      {"speed", [](NvmlReport& r) { r.gpus[0].links[0].megabytes_per_second = 1; }},
      {"fabric", [](NvmlReport& r) { r.gpus[0].fabric = "f/8"; }},
      {"first", [](NvmlReport& r) { r.pairs[0].a = "C"; }},
      {"second", [](NvmlReport& r) { r.pairs[0].b = "C"; }},
      {"ancestor", [](NvmlReport& r) { r.pairs[0].ancestor = NvmlPair::Ancestor::node; }},
      {"load_store", [](NvmlReport& r) { r.pairs[0].load_store = Answer::unknown; }},
      {"nvlink", [](NvmlReport& r) { r.pairs[0].nvlink = Answer::yes; }},
      {"driver", [](NvmlReport& r) { r.driver = ""; }},
      {"why_not", [](NvmlReport& r) { r.why_not = "no"; }},
  };
  for (const auto& [name, change] : changes) {
    NvmlReport changed = sent;
    change(changed);
    EXPECT_FALSE(changed == sent) << name << " is not compared";
    EXPECT_TRUE(from_bytes<NvmlReport>(to_bytes(changed)) == changed) << name << " is not sent";
  }
}

}  // namespace
}  // namespace halocline::machine
