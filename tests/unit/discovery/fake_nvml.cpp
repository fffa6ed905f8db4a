// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "discovery/nvml/abi.hpp"

// A shared library with the functions of NVML that nvml::read() calls, for a made-up node:
//   index 0, 1: two GPUs with two links between them and a third link that is down; for the links of index 1, only the
//   remote address is known
//   index 2: a GPU of another container
//   index 3: a GPU with three links to a switch, whose driver does not support field values
// Index 0 has an energy counter, 1 a power sensor, 3 only a power limit; fake_nvml_draw() sets their values.
// FAKE_NVML=down: initialisation fails. FAKE_NVML=empty: there are no GPUs.
// fake_nvml_refuse() and fake_nvml_tell() change single answers.
namespace {

namespace nvml = halocline::machine::nvml;
using nvml::Device;
using nvml::Return;

constexpr Return invalid_argument = 2;
constexpr Return not_supported = 3;
constexpr Return no_permission = 4;
constexpr Return driver_not_loaded = 9;

int started = 0;
unsigned long long energy_mj = 1'000'000;
unsigned power_mw = 0;
std::string refused;
std::map<std::string, unsigned, std::less<>> told;

/// Whether the function whose name this is answers nothing.
bool refuses(std::string_view function) { return refused == function; }
/// What the test wants to be told, or else the usual.
unsigned told_or(std::string_view what, unsigned usual) {
  const auto found = told.find(what);
  return found == told.end() ? usual : found->second;
}

bool mode(std::string_view wanted) {
  const char* value = std::getenv("FAKE_NVML");
  return value != nullptr && wanted == value;
}

/// Handles are 1 + index, so that none is null.
unsigned index_of(Device device) { return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(device)) - 1; }

unsigned bus_of(unsigned index) { return 0x1b + index; }

void set(nvml::PciInfo& info, unsigned domain, unsigned bus) {
  std::memset(&info, 0xff, sizeof info);  // unset members must not be read
  info.domain = domain;
  info.bus = bus;
  info.device = 0;
}

}  // namespace

extern "C" {

Return nvmlInit_v2() {
  if (mode("down")) return driver_not_loaded;
  ++started;
  return nvml::success;
}
Return nvmlShutdown() {
  --started;
  return nvml::success;
}
/// For the test: the function with this name is not supported by the driver; "": all are.
void fake_nvml_refuse(const char* function) { refused = function; }
/// For the test: another answer to a question; see told_or(). "": the usual ones again.
void fake_nvml_tell(const char* what, unsigned answer) {
  if (*what == '\0') {
    told.clear();
  } else {
    told[what] = answer;
  }
}
/// For the test: initialisations minus shutdowns.
int fake_nvml_started() { return started; }

const char* nvmlErrorString(Return status) { return status == driver_not_loaded ? "Driver Not Loaded" : "other"; }
Return nvmlSystemGetDriverVersion(char* version, unsigned length) {
  if (refuses(__func__)) return not_supported;
  std::strncpy(version, "580.1", length);
  return nvml::success;
}
Return nvmlDeviceGetCount_v2(unsigned* count) {
  if (refuses(__func__)) return not_supported;
  *count = mode("empty") ? 0 : 4;
  return nvml::success;
}
Return nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
  if (index == 2) return no_permission;
  *device = reinterpret_cast<Device>(std::uintptr_t{index} + 1);
  return nvml::success;
}
Return nvmlDeviceGetUUID(Device device, char* uuid, unsigned length) {
  if (refuses(__func__)) return not_supported;
  const char text[] = {'G', 'P', 'U', '-', static_cast<char>('0' + index_of(device)), '\0'};
  std::strncpy(uuid, text, length);
  return nvml::success;
}
Return nvmlDeviceGetPciInfo_v3(Device device, nvml::PciInfo* info) {
  if (refuses(__func__)) return not_supported;
  set(*info, 0x10000, bus_of(index_of(device)));
  return nvml::success;
}
Return nvmlDeviceGetMemoryAffinity(Device device, unsigned words, unsigned long* nodes, unsigned scope) {
  if (refuses(__func__)) return not_supported;
  if (words < 2 || scope != nvml::affinity_node) return not_supported;
  nodes[1] = index_of(device) == 0 ? 1UL << 3 : 0UL;
  return nvml::success;
}
Return nvmlDeviceGetCpuAffinity(Device, unsigned, unsigned long* cpus) {
  if (refuses(__func__)) return not_supported;
  cpus[0] = 0b101;
  return nvml::success;
}
Return nvmlDeviceGetMaxPcieLinkGeneration(Device device, unsigned* generation) {
  if (index_of(device) == 3) return not_supported;
  *generation = 5;
  return nvml::success;
}
Return nvmlDeviceGetCurrPcieLinkGeneration(Device, unsigned* generation) {
  if (refuses(__func__)) return not_supported;
  *generation = 3;
  return nvml::success;
}
Return nvmlDeviceGetMaxPcieLinkWidth(Device, unsigned* lanes) {
  if (refuses(__func__)) return not_supported;
  *lanes = told_or("lanes", 16);
  return nvml::success;
}
// nvmlDeviceGetCurrPcieLinkWidth is missing, as in some drivers.
Return nvmlDeviceGetMaxClockInfo(Device, unsigned clock, unsigned* mhz) {
  if (refuses(__func__)) return not_supported;
  *mhz = clock == nvml::clock_memory ? 3201 : 1980;
  return nvml::success;
}
Return nvmlDeviceGetMemoryBusWidth(Device, unsigned* bits) {
  if (refuses(__func__)) return not_supported;
  *bits = 6144;
  return nvml::success;
}
Return nvmlDeviceGetNvLinkState(Device device, unsigned link, unsigned* active) {
  if (link >= 3) return index_of(device) == 3 ? invalid_argument : not_supported;
  *active = index_of(device) == 3 || link != 1 ? nvml::feature_enabled : 0;
  return nvml::success;
}
Return nvmlDeviceGetNvLinkVersion(Device, unsigned, unsigned* version) {
  if (refuses(__func__)) return not_supported;
  *version = 6;
  return nvml::success;
}
Return nvmlDeviceGetNvLinkRemoteDeviceType(Device device, unsigned, unsigned* type) {
  if (index_of(device) == 1) return not_supported;
  *type = index_of(device) == 0 ? told_or("remote", nvml::remote_gpu) : nvml::remote_switch;
  return nvml::success;
}
Return nvmlDeviceGetNvLinkRemotePciInfo_v2(Device device, unsigned, nvml::PciInfo* info) {
  if (index_of(device) == 3) return not_supported;
  set(*info, 0x10000, bus_of(1 - index_of(device)));
  return nvml::success;
}
Return nvmlDeviceGetFieldValues(Device device, int count, nvml::FieldValue* values) {
  if (index_of(device) == 3) return not_supported;
  for (int i = 0; i < count; ++i) {
    nvml::FieldValue& value = values[i];
    value.status = nvml::success;
    if (value.field == nvml::field_nvlink_count) {
      value.value_type = nvml::value_unsigned_int;
      value.value.unsigned_int = 3;
    } else if (value.field == nvml::field_nvlink_speed && value.scope == 0) {
      value.value_type = nvml::value_unsigned_long_long;
      value.value.unsigned_long_long = 12500;
    } else if (value.field == nvml::field_nvlink_common_speed) {
      value.value_type = told_or("type of speed", nvml::value_signed_int);
      const unsigned speed = told_or("speed", 26562);
      switch (value.value_type) {
        case nvml::value_double: value.value.real = speed + 0.75; break;
        case nvml::value_unsigned_int: value.value.unsigned_int = speed; break;
        case nvml::value_unsigned_long: value.value.unsigned_long = speed; break;
        case nvml::value_unsigned_long_long: value.value.unsigned_long_long = speed; break;
        case nvml::value_signed_long_long: value.value.signed_long_long = static_cast<int>(speed); break;
        case nvml::value_signed_int: value.value.signed_int = static_cast<int>(speed); break;
        case nvml::value_unsigned_short: value.value.unsigned_short = static_cast<unsigned short>(speed); break;
        default: break;
      }
    } else {
      value.status = not_supported;
    }
  }
  return nvml::success;
}
Return nvmlDeviceGetP2PStatus(Device a, Device b, unsigned index, unsigned* status) {
  if (refuses(__func__)) return not_supported;
  *status = nvml::p2p_ok;
  if (index == nvml::p2p_nvlink && (index_of(a) == 3 || index_of(b) == 3)) *status = nvml::p2p_unknown;
  // One of the four queries between 0 and 3 fails.
  if (index_of(a) == 3 && index_of(b) == 0 && index == nvml::p2p_write) *status = 5;
  return nvml::success;
}
Return nvmlDeviceGetTopologyCommonAncestor(Device a, Device b, unsigned* level) {
  if (index_of(a) == 1 && index_of(b) == 3) return not_supported;
  *level = index_of(a) == 0 && index_of(b) == 1 ? told_or("ancestor", nvml::topology_multiple) : nvml::topology_system;
  return nvml::success;
}
Return nvmlDeviceGetHandleByUUID(const char* uuid, Device* device) {
  const std::string_view text(uuid);
  if (text != "GPU-0" && text != "GPU-1" && text != "GPU-3") return invalid_argument;
  *device = reinterpret_cast<Device>(static_cast<std::uintptr_t>(text[4] - '0') + 1);
  return nvml::success;
}
/// For the test: adds to the energy of GPU-0, and sets the power of GPU-1's sensor.
void fake_nvml_draw(unsigned long long more_mj, unsigned mw) {
  energy_mj += more_mj;
  power_mw = mw;
}
Return nvmlDeviceGetTotalEnergyConsumption(Device device, unsigned long long* millijoules) {
  if (refuses(__func__)) return not_supported;
  if (index_of(device) != 0) return not_supported;
  *millijoules = energy_mj;
  return nvml::success;
}
Return nvmlDeviceGetPowerUsage(Device device, unsigned* milliwatts) {
  if (index_of(device) == 3) return not_supported;
  *milliwatts = power_mw;
  return nvml::success;
}
Return nvmlDeviceGetEnforcedPowerLimit(Device, unsigned* milliwatts) {
  if (refuses(__func__)) return not_supported;
  *milliwatts = told_or("limit", 700'000);
  return nvml::success;
}
Return nvmlDeviceGetGpuFabricInfoV(Device device, nvml::FabricInfo* info) {
  if (refuses(__func__)) return not_supported;
  if (info->version != nvml::fabric_info_version) return invalid_argument;
  info->state = static_cast<unsigned char>(told_or("fabric", nvml::fabric_completed));
  info->status = static_cast<Return>(told_or("status of the fabric", nvml::success));
  info->clique = 7;
  info->cluster_uuid[15] = index_of(device) == 0 ? 0xab : 0;  // all zero: no fabric
  return nvml::success;
}

}  // extern "C"
