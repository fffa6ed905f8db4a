// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/serialise.hpp"
#include "halocline/box.hpp"
#include "halocline/field.hpp"
#include "io/checked_file.hpp"

namespace halocline::io {

/// A field of a checkpoint: what must be the same where it is restored.
struct StoredField {
  std::string name;
  Element element = Element::f32;
  int components = 1;
  Vec3 extent;      ///< of all cells of the field
  int buffers = 1;  ///< that are stored: the current one, then the ones that become current by swaps
  friend bool operator==(const StoredField&, const StoredField&) = default;
};

/// Cells in a file: x fastest, components one after another.
struct StoredBlock {
  int field = 0;
  int buffer = 0;
  Box box;
  std::int64_t offset = 0;  ///< in bytes
  friend bool operator==(const StoredBlock&, const StoredBlock&) = default;
};

struct StoredFile {
  CheckedFile file;
  std::vector<StoredBlock> blocks;
  friend bool operator==(const StoredFile&, const StoredFile&) = default;
};
auto members(MaybeConst<StoredFile> auto& stored) { return std::tie(stored.file, stored.blocks); }

/// What a checkpoint consists of.
struct Manifest {
  Vec3 extent;
  std::vector<StoredField> fields;
  std::map<std::string, std::string> metadata;
  std::vector<StoredFile> files;
  friend bool operator==(const Manifest&, const Manifest&) = default;
};

/// The manifest as JSON with a digest of itself. Throws InvalidArgument for metadata that is not UTF-8.
[[nodiscard]] std::string text_of(const Manifest& manifest);
/// The inverse. Throws InvalidArgument "checkpoint manifest '<path>' ..." for a text that differs in any byte, and for files of another
/// byte order.
[[nodiscard]] Manifest manifest_from(std::string_view text, const std::string& path);

/// Throws InvalidArgument that names the path, the first difference and both values, unless the extent and the fields are the same.
void check_fits(const Manifest& manifest, const Vec3& extent, const std::vector<StoredField>& fields,
                const std::string& path);

/// File names of a checkpoint: "checkpoint-0000000012.json", "checkpoint-0000000012-3.raw".
[[nodiscard]] std::string manifest_name(std::int64_t generation);
[[nodiscard]] std::string data_name(std::int64_t generation, std::int64_t rank);
/// The generation of a file with such a name, and whether it is a manifest; nothing for any other name.
struct GenerationFile {
  std::int64_t generation = 0;
  bool manifest = false;
};
[[nodiscard]] std::optional<GenerationFile> generation_of(std::string_view name);

}  // namespace halocline::io
