// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "discovery/bytes.hpp"
#include "discovery/probe.hpp"
#include "halocline/machine_map.hpp"

// What travels between ranks during discovery and measurement.
namespace halocline::machine {

void put(ByteWriter& out, const Measurement& measurement);
[[nodiscard]] Measurement get_measurement(ByteReader& in);
void put(ByteWriter& out, const NodeType& type);
[[nodiscard]] NodeType get_node_type(ByteReader& in);
void put(ByteWriter& out, const DeviceProbe& device);
[[nodiscard]] DeviceProbe get_device_probe(ByteReader& in);
void put(ByteWriter& out, const NvmlReport& report);
[[nodiscard]] NvmlReport get_nvml_report(ByteReader& in);
void put(ByteWriter& out, const Network& network);
[[nodiscard]] Network get_network(ByteReader& in);
void put(ByteWriter& out, const Software& software);
[[nodiscard]] Software get_software(ByteReader& in);

[[nodiscard]] std::vector<std::byte> to_bytes(const MachineMap& map);
[[nodiscard]] MachineMap map_from_bytes(std::span<const std::byte> bytes);

}  // namespace halocline::machine
