// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <nvml.h>

#include <cstddef>
#include <type_traits>

#include "discovery/nvml/abi.hpp"

// Built if a CUDA toolkit has nvml.h: the declarations of abi.hpp equal NVML's.
namespace halocline::machine {
namespace {

template <typename Ours, typename Theirs>
constexpr bool same_parameter() {
  using Pointee = std::remove_pointer_t<Ours>;
  if constexpr (!std::is_pointer_v<Ours> || !std::is_pointer_v<Theirs>) {
    return sizeof(Ours) == sizeof(Theirs) && std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>;
  } else if constexpr (std::is_same_v<Pointee, nvml::DeviceOpaque>) {
    return std::is_same_v<Theirs, nvmlDevice_t>;
  } else {
    return sizeof(Pointee) == sizeof(std::remove_pointer_t<Theirs>);
  }
}

template <typename A, typename... As, typename B, typename... Bs>
constexpr bool same(A (*)(As...), B (*)(Bs...)) {
  if constexpr (sizeof...(As) == sizeof...(Bs)) {
    return same_parameter<A, B>() && (same_parameter<As, Bs>() && ...);
  } else {
    return false;
  }
}

#define HALOCLINE_SAME(function) \
  static_assert(same(static_cast<nvml::function*>(nullptr), static_cast<decltype(&::function)>(nullptr)))
HALOCLINE_SAME(nvmlInit_v2);
HALOCLINE_SAME(nvmlShutdown);
HALOCLINE_SAME(nvmlErrorString);
HALOCLINE_SAME(nvmlSystemGetDriverVersion);
HALOCLINE_SAME(nvmlDeviceGetCount_v2);
HALOCLINE_SAME(nvmlDeviceGetHandleByIndex_v2);
HALOCLINE_SAME(nvmlDeviceGetUUID);
HALOCLINE_SAME(nvmlDeviceGetPciInfo_v3);
HALOCLINE_SAME(nvmlDeviceGetMemoryAffinity);
HALOCLINE_SAME(nvmlDeviceGetCpuAffinity);
HALOCLINE_SAME(nvmlDeviceGetMaxPcieLinkGeneration);
HALOCLINE_SAME(nvmlDeviceGetMaxPcieLinkWidth);
HALOCLINE_SAME(nvmlDeviceGetCurrPcieLinkGeneration);
HALOCLINE_SAME(nvmlDeviceGetCurrPcieLinkWidth);
HALOCLINE_SAME(nvmlDeviceGetMaxClockInfo);
HALOCLINE_SAME(nvmlDeviceGetMemoryBusWidth);
HALOCLINE_SAME(nvmlDeviceGetNvLinkState);
HALOCLINE_SAME(nvmlDeviceGetNvLinkVersion);
HALOCLINE_SAME(nvmlDeviceGetNvLinkRemoteDeviceType);
HALOCLINE_SAME(nvmlDeviceGetNvLinkRemotePciInfo_v2);
HALOCLINE_SAME(nvmlDeviceGetFieldValues);
HALOCLINE_SAME(nvmlDeviceGetP2PStatus);
HALOCLINE_SAME(nvmlDeviceGetTopologyCommonAncestor);
HALOCLINE_SAME(nvmlDeviceGetHandleByUUID);
HALOCLINE_SAME(nvmlDeviceGetTotalEnergyConsumption);
HALOCLINE_SAME(nvmlDeviceGetPowerUsage);
HALOCLINE_SAME(nvmlDeviceGetEnforcedPowerLimit);

static_assert(offsetof(nvml::PciInfo, domain) == offsetof(nvmlPciInfo_t, domain));
static_assert(offsetof(nvml::PciInfo, bus) == offsetof(nvmlPciInfo_t, bus));
static_assert(offsetof(nvml::PciInfo, device) == offsetof(nvmlPciInfo_t, device));
static_assert(offsetof(nvml::PciInfo, bus_id) == offsetof(nvmlPciInfo_t, busId));
static_assert(offsetof(nvml::FieldValue, scope) == offsetof(nvmlFieldValue_t, scopeId));
static_assert(offsetof(nvml::FieldValue, value_type) == offsetof(nvmlFieldValue_t, valueType));
static_assert(offsetof(nvml::FieldValue, status) == offsetof(nvmlFieldValue_t, nvmlReturn));
static_assert(offsetof(nvml::FieldValue, value) == offsetof(nvmlFieldValue_t, value));
static_assert(sizeof(nvml::FabricInfo) == sizeof(nvmlGpuFabricInfo_v2_t));
static_assert(offsetof(nvml::FabricInfo, cluster_uuid) == offsetof(nvmlGpuFabricInfo_v2_t, clusterUuid));
static_assert(offsetof(nvml::FabricInfo, status) == offsetof(nvmlGpuFabricInfo_v2_t, status));
static_assert(offsetof(nvml::FabricInfo, clique) == offsetof(nvmlGpuFabricInfo_v2_t, cliqueId));
static_assert(offsetof(nvml::FabricInfo, state) == offsetof(nvmlGpuFabricInfo_v2_t, state));

TEST(NvmlAbi, NumbersAreNvmls) {
  EXPECT_EQ(nvml::success, NVML_SUCCESS);
  EXPECT_EQ(nvml::uuid_bytes, NVML_DEVICE_UUID_V2_BUFFER_SIZE);
  EXPECT_EQ(nvml::version_bytes, NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE);
  EXPECT_EQ(nvml::feature_enabled, NVML_FEATURE_ENABLED);
  EXPECT_EQ(nvml::remote_gpu, NVML_NVLINK_DEVICE_TYPE_GPU);
  EXPECT_EQ(nvml::remote_npu, NVML_NVLINK_DEVICE_TYPE_IBMNPU);
  EXPECT_EQ(nvml::remote_switch, NVML_NVLINK_DEVICE_TYPE_SWITCH);
  EXPECT_EQ(nvml::p2p_read, NVML_P2P_CAPS_INDEX_READ);
  EXPECT_EQ(nvml::p2p_write, NVML_P2P_CAPS_INDEX_WRITE);
  EXPECT_EQ(nvml::p2p_nvlink, NVML_P2P_CAPS_INDEX_NVLINK);
  EXPECT_EQ(nvml::p2p_ok, NVML_P2P_STATUS_OK);
  EXPECT_EQ(nvml::p2p_unknown, NVML_P2P_STATUS_UNKNOWN);
  EXPECT_EQ(nvml::topology_internal, NVML_TOPOLOGY_INTERNAL);
  EXPECT_EQ(nvml::topology_single, NVML_TOPOLOGY_SINGLE);
  EXPECT_EQ(nvml::topology_multiple, NVML_TOPOLOGY_MULTIPLE);
  EXPECT_EQ(nvml::topology_host_bridge, NVML_TOPOLOGY_HOSTBRIDGE);
  EXPECT_EQ(nvml::topology_numa, NVML_TOPOLOGY_NODE);
  EXPECT_EQ(nvml::topology_system, NVML_TOPOLOGY_SYSTEM);
  EXPECT_EQ(nvml::affinity_node, NVML_AFFINITY_SCOPE_NODE);
  EXPECT_EQ(nvml::clock_memory, NVML_CLOCK_MEM);
  EXPECT_EQ(nvml::value_double, NVML_VALUE_TYPE_DOUBLE);
  EXPECT_EQ(nvml::value_unsigned_int, NVML_VALUE_TYPE_UNSIGNED_INT);
  EXPECT_EQ(nvml::value_unsigned_long, NVML_VALUE_TYPE_UNSIGNED_LONG);
  EXPECT_EQ(nvml::value_unsigned_long_long, NVML_VALUE_TYPE_UNSIGNED_LONG_LONG);
  EXPECT_EQ(nvml::value_signed_long_long, NVML_VALUE_TYPE_SIGNED_LONG_LONG);
  EXPECT_EQ(nvml::value_signed_int, NVML_VALUE_TYPE_SIGNED_INT);
  EXPECT_EQ(nvml::value_unsigned_short, NVML_VALUE_TYPE_UNSIGNED_SHORT);
  EXPECT_EQ(nvml::field_nvlink_common_speed, NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON);
  EXPECT_EQ(nvml::field_nvlink_count, NVML_FI_DEV_NVLINK_LINK_COUNT);
  EXPECT_EQ(nvml::field_nvlink_speed, NVML_FI_DEV_NVLINK_GET_SPEED);
  EXPECT_EQ(nvml::fabric_info_version, nvmlGpuFabricInfo_v2);
  EXPECT_EQ(nvml::fabric_completed, NVML_GPU_FABRIC_STATE_COMPLETED);
}

}  // namespace
}  // namespace halocline::machine
