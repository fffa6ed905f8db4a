// SPDX-License-Identifier: BSD-3-Clause
#include "software_options.hpp"

#include "option_kinds.hpp"
#include "parse.hpp"

namespace cli {

using namespace halocline;

namespace {

using Flags = std::shared_ptr<SimulateFlags>;

/// A number that takes the place of the map's: `unit` times what is given.
void add_number(CLI::App& command, const Flags& flags, const std::string& name, const std::string& type, double unit,
                const std::string& meaning, double machine::Software::*target) {
  add_word(command, name, type, meaning, [flags, unit, target](const auto& option, const auto& word) {
    const double value = unit * parse_positive(option, word, 1e9);
    flags->software.push_back([target, value](machine::Software& software) { software.*target = value; });
  });
}

void add_switch(CLI::App& command, const Flags& flags, const std::string& name, const std::string& meaning,
                bool machine::Software::*target) {
  add_word(command, name, "on|off", meaning, [flags, target](const auto& option, const auto& word) {
    const bool value = parse_choice(option, word, Choices<bool>{{"on", true}, {"off", false}});
    flags->software.push_back([target, value](machine::Software& software) { software.*target = value; });
  });
}

}  // namespace

void add_software_options(CLI::App& command, const std::shared_ptr<SimulateFlags>& flags) {
  using machine::Software;
  add_number(command, flags, "--mpi-copy", "GB/S", 1e9,
             "rate at which a rank copies messages within its node (default: the map's)", &Software::mpi_copy);
  add_number(command, flags, "--mpi-injection", "GB/S", 1e9,
             "rate at which a rank sends, or receives, over the network (default: the map's)",
             &Software::mpi_injection);
  add_number(command, flags, "--mpi-latency", "US", 1e-6, "software latency of a message (default: the map's)",
             &Software::mpi_latency);
  add_number(command, flags, "--mpi-device-latency", "US", 1e-6,
             "additional latency of a message by mpi_device (default: the map's)", &Software::mpi_device_latency);
  add_number(command, flags, "--mpi-overhead", "US", 1e-6,
             "CPU time of a rank for each message, at either end (default: the map's)", &Software::mpi_overhead);
  add_number(command, flags, "--device-launch", "US", 1e-6,
             "CPU time of a rank for each kernel launch or copy (default: the map's)", &Software::device_launch);
  add_switch(command, flags, "--one-core", "a rank copies, sends and receives with one core (default: the map's)",
             &Software::one_core);
  add_switch(command, flags, "--serial-mpi", "a rank sends its messages by mpi_device one by one (default: the map's)",
             &Software::mpi_serialises_streams);
  add_switch(command, flags, "--serial-copies", "a device copies to other devices one by one (default: the map's)",
             &Software::serial_copies);
  add_flag(command, "--nominal", "use the nominal rates of the map, not the measured ones", flags->nominal);
  add_flag(command, "--links-alone", "only links limit, and the values of the options above", flags->links_alone);
}

}  // namespace cli
