// SPDX-License-Identifier: BSD-3-Clause
#include "discovery/nvml/read.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "discovery/probe.hpp"

namespace halocline::machine {
namespace {

using testing::HasSubstr;

class Mode {
 public:
  explicit Mode(const char* mode) { ::setenv("FAKE_NVML", mode, 1); }
  ~Mode() { ::unsetenv("FAKE_NVML"); }
  Mode(const Mode&) = delete;
  Mode& operator=(const Mode&) = delete;
};

TEST(NvmlRead, AsksForWhatTheDriverKnows) {
  const NvmlReport report = nvml::read(HALOCLINE_FAKE_NVML);
  EXPECT_EQ(report.why_not, "");
  EXPECT_EQ(report.driver, "580.1");
  ASSERT_EQ(report.gpus.size(), 3u) << "one is another container's";

  const NvmlGpu& first = report.gpus[0];
  EXPECT_EQ(first.uuid, "GPU-0");
  EXPECT_EQ(first.pci, "10000:1b:00.0");
  EXPECT_EQ(first.numa, std::vector<int>{67});
  EXPECT_EQ(first.cpus, (std::vector<int>{0, 2}));
  EXPECT_EQ(first.pcie_generation, 5);
  EXPECT_EQ(first.pcie_lanes, 16);
  EXPECT_EQ(first.memory_clock_mhz, 3201);
  EXPECT_EQ(first.memory_bus_bits, 6144);
  const std::string second_pci = "10000:1c:00.0";
  EXPECT_EQ(first.links, (std::vector<NvmlLink>{{NvmlLink::Remote::gpu, second_pci, 6, 12500},
                                                {NvmlLink::Remote::gpu, second_pci, 6, 26562}}));
  EXPECT_EQ(first.fabric, "000000000000000000000000000000ab/7");

  const NvmlGpu& second = report.gpus[1];
  EXPECT_EQ(second.pci, second_pci);
  EXPECT_TRUE(second.numa.empty());
  ASSERT_EQ(second.links.size(), 2u);
  EXPECT_EQ(second.links[0].remote, NvmlLink::Remote::unknown);
  EXPECT_EQ(second.links[0].remote_pci, first.pci);
  EXPECT_EQ(second.fabric, "");

  const NvmlGpu& third = report.gpus[2];
  EXPECT_EQ(third.uuid, "GPU-3");
  EXPECT_EQ(third.pcie_generation, 3) << "of now, where the most is not known";
  EXPECT_EQ(third.links, std::vector<NvmlLink>(3, {NvmlLink::Remote::link_switch, "", 6, 0}));
}

TEST(NvmlRead, AnswersForPairsHoldInBothDirections) {
  const NvmlReport report = nvml::read(HALOCLINE_FAKE_NVML);
  ASSERT_EQ(report.pairs.size(), 3u);
  EXPECT_EQ(report.pair("GPU-0", "GPU-1"),
            (NvmlPair{"GPU-0", "GPU-1", NvmlPair::Ancestor::pci_switches, Answer::yes, Answer::yes}));
  EXPECT_EQ(report.pair("GPU-0", "GPU-3"),
            (NvmlPair{"GPU-0", "GPU-3", NvmlPair::Ancestor::node, Answer::no, Answer::unknown}));
  EXPECT_EQ(report.pair("GPU-1", "GPU-3"),
            (NvmlPair{"GPU-1", "GPU-3", NvmlPair::Ancestor::unknown, Answer::yes, Answer::unknown}));
}

TEST(NvmlRead, StopsWhatItStarted) {
  void* library = ::dlopen(HALOCLINE_FAKE_NVML, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << ::dlerror();
  auto* started = reinterpret_cast<int (*)()>(::dlsym(library, "fake_nvml_started"));
  ASSERT_NE(started, nullptr);
  for (const char* mode : {"", "empty", "down"}) {
    const Mode with(mode);
    static_cast<void>(nvml::read(HALOCLINE_FAKE_NVML));
    EXPECT_EQ(started(), 0) << mode;
  }
  ::dlclose(library);
}

TEST(NvmlRead, SaysWhyThereIsNothing) {
  EXPECT_THAT(nvml::read("no-such-nvml.so.1").why_not, HasSubstr("NVML was not found: no-such-nvml.so.1"));
  EXPECT_THAT(nvml::read("libm.so.6").why_not, HasSubstr("NVML is too old: it has no nvmlInit_v2"));
  {
    const Mode down("down");
    EXPECT_EQ(nvml::read(HALOCLINE_FAKE_NVML).why_not, "NVML did not start: Driver Not Loaded");
  }
  const Mode empty("empty");
  EXPECT_EQ(nvml::read(HALOCLINE_FAKE_NVML).why_not, "NVML sees no GPU");
}

TEST(NvmlRead, IsNotAskedForHostDevices) {
  const DeviceProbe host{halocline::DeviceKind::host, "h", "u", 1, -1, {}, {}};
  EXPECT_EQ(probe_links({host}), NvmlReport{});
  EXPECT_EQ(probe_links({}), NvmlReport{});
  const DeviceProbe gpu{halocline::DeviceKind::cuda, "g", "u", 1, -1, {}, {}};
  const NvmlReport asked = probe_links({host, gpu});
  EXPECT_NE(asked.gpus.empty(), asked.why_not.empty()) << "either GPUs or a reason";
}

}  // namespace
}  // namespace halocline::machine
