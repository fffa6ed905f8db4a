// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "domain/detail/snapshot.hpp"
#include "io/manifest.hpp"
#include "io/pace.hpp"

namespace halocline {

/// Writes the cells of a snapshot to a new file, as fast as the pace allows. fields: of the snapshot's items, in their order; each has
/// `buffers` items.
[[nodiscard]] io::StoredFile write_cells(const Snapshot& snapshot, const std::vector<io::StoredField>& fields,
                                         const std::string& folder, const std::string& name, io::Pace& pace);

/// Reads the cells of a snapshot from the files of a manifest, which fits the fields. Opens the files that contain some of them. Throws
/// InvalidArgument that names the file that is missing or damaged, or the manifest's path where its files lack cells.
void read_cells(const Snapshot& snapshot, const std::vector<io::StoredField>& fields, const std::string& folder,
                const io::Manifest& manifest, const std::string& path);

}  // namespace halocline
