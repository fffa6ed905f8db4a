#pragma once

#include <nlohmann/json.hpp>

#include <string_view>

#include "halocline/comm/twins.hpp"
#include "halocline/core/environment.hpp"
#include "options.hpp"

namespace cli {

/// A document whose keys stay in the order of adding.
using Json = nlohmann::ordered_json;

/// What a command works with.
struct Context {
  halocline::comm::Communicator& world;
  halocline::Environment environment;
  Options options;

  /// Rank 0 is the one that prints.
  [[nodiscard]] bool root() const { return world.rank().value() == 0; }
  /// Text for people: on rank 0, without --json.
  void print_text(std::string_view text) const;
  /// The document: on rank 0, with --json. Call it once, at the end.
  void print_document(const Json& document) const;
};

/// A document's first keys: the command and the version.
[[nodiscard]] Json document_of(std::string_view command);

}  // namespace cli
