#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "halocline/machine/machine_map.hpp"
#include "halocline/partition/partition.hpp"
#include "halocline/placement/placement.hpp"
#include "halocline/routing/routing.hpp"

// Documents for programs. All texts are UTF-8, indented for people too; keys are in a fixed order, so the same value
// gives the same text.
namespace halocline::io {

inline constexpr std::string_view machine_schema = "halocline-machine/1";
inline constexpr std::string_view plan_schema = "halocline-plan/1";

/// A machine map as a document that machine_from_json() reads back to the same value.
/// Throws InvalidArgument where the map does not pass its check().
[[nodiscard]] std::string to_json(const machine::MachineMap& map);

/// Throws InvalidArgument that names the place in the document, the value and what is allowed
/// ("types[0].links[2].bandwidth is -1; allowed is a finite number above 0"). Keys that are not known, or given twice,
/// are errors, and so is a schema of another version.
[[nodiscard]] machine::MachineMap machine_from_json(std::string_view text);

/// machine_from_json of a file; errors name the file too. Throws ResourceError where it cannot be read.
[[nodiscard]] machine::MachineMap read_machine_file(const std::filesystem::path& path);

// Parts of a plan, one JSON value each, for JsonObject::json(). The document:
//   JsonObject plan(plan_schema);
//   plan.json("partition", to_json(partition)).json("placement", to_json(placement)).json("routes", to_json(routes));

/// Extent, the two grids, order, cuts, and each subdomain's node part and box.
[[nodiscard]] std::string to_json(const partition::Partition& partition);
/// Costs, and each subdomain's rank, node, device and ordinal.
[[nodiscard]] std::string to_json(const placement::Placement& placement);
/// From, to, transport and reason of each.
[[nodiscard]] std::string to_json(std::span<const routing::Route> routes);

/// Puts a document together. Owner, move-only. Keys stay in the order of adding.
class JsonObject {
 public:
  JsonObject();
  /// Begins with "schema": schema.
  explicit JsonObject(std::string_view schema);
  JsonObject(JsonObject&& other) noexcept;
  JsonObject& operator=(JsonObject&& other) noexcept;
  ~JsonObject();

  // Each throws InternalError where the key is there already.
  JsonObject& text(std::string_view key, std::string_view value);
  JsonObject& integer(std::string_view key, std::int64_t value);
  /// null where the value is not finite: JSON has no such numbers.
  JsonObject& number(std::string_view key, double value);
  JsonObject& flag(std::string_view key, bool value);
  /// A JSON value as text: from to_json(), str() or json_array(). Throws InternalError where it is none.
  JsonObject& json(std::string_view key, std::string_view value);

  /// The document, without a newline at its end.
  [[nodiscard]] std::string str() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// An array of JSON values given as text. Throws InternalError where one is none.
[[nodiscard]] std::string json_array(std::span<const std::string> values);

}  // namespace halocline::io
