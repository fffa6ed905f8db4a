// SPDX-License-Identifier: BSD-3-Clause
#include "halocline/machine.hpp"

#include <utility>

#include "io/json.hpp"

namespace halocline {

Machine::Machine(machine::MachineMap map) : map_(std::make_shared<const machine::MachineMap>(std::move(map))) {}
Machine Machine::from_json(std::string_view text) { return io::machine_from_json(text); }
Machine Machine::read(const std::string& file) { return io::read_machine_file(file); }
std::string Machine::json() const { return io::to_json(map()); }

}  // namespace halocline
