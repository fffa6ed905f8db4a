// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace [[gnu::visibility("default")]] halocline {

namespace machine {
struct MachineMap;
}

/// A machine as a value: nodes, devices, links, measured rates, and a job's ranks. Planning needs nothing else of it, so it may be a
/// machine that is not here. Copies share one value.
class Machine {
 public:
  /// From a document as json() returns it, or as `halocline machine --json` writes it. Throws InvalidArgument with the place in the
  /// document, the value and what is allowed.
  static Machine from_json(std::string_view text);
  /// The same from a file. Throws ResourceError if it cannot be read.
  static Machine read(const std::string& file);
  /// The document: indented, keys in a fixed order, so that equal machines give equal text.
  [[nodiscard]] std::string json() const;

  /// For Halocline's own code.
  Machine(machine::MachineMap map);  // NOLINT(google-explicit-constructor)
  [[nodiscard]] const machine::MachineMap& map() const { return *map_; }

 private:
  std::shared_ptr<const machine::MachineMap> map_;
};

}  // namespace halocline
