// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

// The part of NVML's binary interface that the probe calls. It is declared here because the library is found at run
// time and its header is not in every CUDA toolkit. tests/unit/machine/nvml_abi_test.cpp compares it with nvml.h if
// that exists.
namespace halocline::machine::nvml {

using Return = int;
inline constexpr Return success = 0;

struct DeviceOpaque;
using Device = DeviceOpaque*;

inline constexpr unsigned uuid_bytes = 96;
inline constexpr unsigned version_bytes = 80;

struct PciInfo {
  char bus_id_legacy[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned pci_device_id;
  unsigned pci_subsystem_id;
  char bus_id[32];
};

inline constexpr unsigned feature_enabled = 1;

inline constexpr unsigned remote_gpu = 0;
inline constexpr unsigned remote_npu = 1;  ///< a POWER processor
inline constexpr unsigned remote_switch = 2;

inline constexpr unsigned p2p_read = 0;  ///< the capability in question
inline constexpr unsigned p2p_write = 1;
inline constexpr unsigned p2p_nvlink = 2;
inline constexpr unsigned p2p_ok = 0;  ///< the status returned
inline constexpr unsigned p2p_unknown = 6;

inline constexpr unsigned topology_internal = 0;
inline constexpr unsigned topology_single = 10;
inline constexpr unsigned topology_multiple = 20;
inline constexpr unsigned topology_host_bridge = 30;
inline constexpr unsigned topology_numa = 40;
inline constexpr unsigned topology_system = 50;

inline constexpr unsigned affinity_node = 0;
inline constexpr unsigned clock_memory = 2;

union Value {
  double real;
  int signed_int;
  unsigned unsigned_int;
  unsigned long unsigned_long;
  unsigned long long unsigned_long_long;
  long long signed_long_long;
  unsigned short unsigned_short;
};
inline constexpr unsigned value_double = 0;
inline constexpr unsigned value_unsigned_int = 1;
inline constexpr unsigned value_unsigned_long = 2;
inline constexpr unsigned value_unsigned_long_long = 3;
inline constexpr unsigned value_signed_long_long = 4;
inline constexpr unsigned value_signed_int = 5;
inline constexpr unsigned value_unsigned_short = 6;

struct FieldValue {
  unsigned field;
  unsigned scope;  ///< which link, for fields of links
  long long timestamp;
  long long latency_us;
  unsigned value_type;
  Return status;
  Value value;
};
inline constexpr unsigned field_nvlink_common_speed = 90;  ///< MB/s
inline constexpr unsigned field_nvlink_count = 91;
inline constexpr unsigned field_nvlink_speed = 164;  ///< MB/s

struct FabricInfo {
  unsigned version;
  unsigned char cluster_uuid[16];
  Return status;
  unsigned clique;
  unsigned char state;
  unsigned health;
};
inline constexpr unsigned fabric_info_version = static_cast<unsigned>(sizeof(FabricInfo)) | (2u << 24);
inline constexpr unsigned fabric_completed = 3;

// Functions, under their names in the library.
using nvmlInit_v2 = Return();
using nvmlShutdown = Return();
using nvmlErrorString = const char*(Return status);
using nvmlSystemGetDriverVersion = Return(char* version, unsigned length);
using nvmlDeviceGetCount_v2 = Return(unsigned* count);
using nvmlDeviceGetHandleByIndex_v2 = Return(unsigned index, Device* device);
using nvmlDeviceGetHandleByUUID = Return(const char* uuid, Device* device);
using nvmlDeviceGetUUID = Return(Device device, char* uuid, unsigned length);
using nvmlDeviceGetPciInfo_v3 = Return(Device device, PciInfo* info);
using nvmlDeviceGetMemoryAffinity = Return(Device device, unsigned words, unsigned long* nodes, unsigned scope);
using nvmlDeviceGetCpuAffinity = Return(Device device, unsigned words, unsigned long* cpus);
using nvmlDeviceGetMaxPcieLinkGeneration = Return(Device device, unsigned* generation);
using nvmlDeviceGetMaxPcieLinkWidth = Return(Device device, unsigned* lanes);
using nvmlDeviceGetCurrPcieLinkGeneration = Return(Device device, unsigned* generation);
using nvmlDeviceGetCurrPcieLinkWidth = Return(Device device, unsigned* lanes);
using nvmlDeviceGetMaxClockInfo = Return(Device device, unsigned clock, unsigned* mhz);
using nvmlDeviceGetMemoryBusWidth = Return(Device device, unsigned* bits);
using nvmlDeviceGetNvLinkState = Return(Device device, unsigned link, unsigned* active);
using nvmlDeviceGetNvLinkVersion = Return(Device device, unsigned link, unsigned* version);
using nvmlDeviceGetNvLinkRemoteDeviceType = Return(Device device, unsigned link, unsigned* type);
using nvmlDeviceGetNvLinkRemotePciInfo_v2 = Return(Device device, unsigned link, PciInfo* info);
using nvmlDeviceGetFieldValues = Return(Device device, int count, FieldValue* values);
using nvmlDeviceGetP2PStatus = Return(Device a, Device b, unsigned index, unsigned* status);
using nvmlDeviceGetTopologyCommonAncestor = Return(Device a, Device b, unsigned* level);
using nvmlDeviceGetTotalEnergyConsumption = Return(Device device, unsigned long long* millijoules);
using nvmlDeviceGetPowerUsage = Return(Device device, unsigned* milliwatts);
using nvmlDeviceGetEnforcedPowerLimit = Return(Device device, unsigned* milliwatts);
using nvmlDeviceGetGpuFabricInfoV = Return(Device device, FabricInfo* info);

}  // namespace halocline::machine::nvml
