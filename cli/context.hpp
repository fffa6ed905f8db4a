// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "halocline/environment.hpp"
#include "halocline/session.hpp"
#include "io/json_value.hpp"
#include "options.hpp"

namespace cli {

using halocline::io::Json;

/// What a command works with.
struct Context {
  halocline::comm::RankGroup& world;
  halocline::Environment environment;
  Options options;
  std::string no_job{};  ///< for `doctor`: why the processes of the job are not one world

  /// Rank 0 is the one that prints.
  [[nodiscard]] bool root() const { return world.rank().value() == 0; }
  /// Text for people: on rank 0, without --json.
  /// Lines are folded at terminal_columns.
  void print_text(std::string_view text) const;
  /// The same for lines that must stay whole: rows of CSV, commands to copy.
  void print_lines(std::string_view text) const;
  /// The document: on rank 0, with --json. Call it once, at the end.
  void print_document(const Json& document) const;
  /// The same for a document that is text already.
  void print_json(const std::string& text) const;
};

/// A document as text, indented by 2. What is no UTF-8, as in a file's name, becomes U+FFFD.
[[nodiscard]] std::string text_of(const Json& document);

/// A document's first keys: the command and the version.
[[nodiscard]] Json document_of(std::string_view command);

}  // namespace cli
