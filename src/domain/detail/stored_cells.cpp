// SPDX-License-Identifier: BSD-3-Clause
#include "domain/detail/stored_cells.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "halocline/error.hpp"

namespace halocline {
namespace {

/// Which field and buffer an item of a snapshot is.
struct Stored {
  int field = 0;
  int buffer = 0;
};

std::vector<Stored> items_of(const std::vector<io::StoredField>& fields) {
  std::vector<Stored> items;
  for (int field = 0; field < static_cast<int>(fields.size()); ++field) {
    for (int buffer = 0; buffer < fields[static_cast<std::size_t>(field)].buffers; ++buffer) {
      items.push_back({field, buffer});
    }
  }
  return items;
}

/// Copies the cells that a part and a block have in common, row by row; returns how many.
std::int64_t read_common(const Snapshot::Part& part, const io::StoredBlock& block, io::CheckedReader& reader) {
  const Box common = part.box.intersection(block.box);
  const auto offset_in = [&](const Box& box, std::int64_t component, std::int64_t y, std::int64_t z) {
    const Vec3 extent = box.extent();
    const std::int64_t rows = y - box.lo.y + extent.y * (z - box.lo.z + extent.z * component);
    return part.element_bytes * (common.lo.x - box.lo.x + extent.x * rows);
  };
  const auto row = static_cast<std::size_t>(part.element_bytes * common.extent().x);
  for (int component = 0; component < part.components; ++component) {
    for (std::int64_t z = common.lo.z; z < common.hi.z; ++z) {
      for (std::int64_t y = common.lo.y; y < common.hi.y; ++y) {
        const auto target = part.bytes().subspan(static_cast<std::size_t>(offset_in(part.box, component, y, z)), row);
        reader.read(block.offset + offset_in(block.box, component, y, z), target);
      }
    }
  }
  return common.volume();
}

}  // namespace

io::StoredFile write_cells(const Snapshot& snapshot, const std::vector<io::StoredField>& fields,
                           const std::string& folder, const std::string& name, io::Pace& pace) {
  const auto items = items_of(fields);
  io::CheckedWriter writer(folder, name);
  io::StoredFile stored;
  std::int64_t offset = 0;
  for (const Snapshot::Part& part : snapshot.parts()) {
    const Stored& item = items[part.item];
    stored.blocks.push_back({item.field, item.buffer, part.box, offset});
    constexpr auto piece = static_cast<std::size_t>(io::checked_piece_bytes);
    for (auto left = part.bytes(); !left.empty(); left = left.subspan(std::min(left.size(), piece))) {
      const auto next = left.first(std::min(left.size(), piece));
      writer.append(next);
      pace.spend(std::ssize(next));
    }
    offset += std::ssize(part.bytes());
  }
  stored.file = writer.finish();
  return stored;
}

void read_cells(const Snapshot& snapshot, const std::vector<io::StoredField>& fields, const std::string& folder,
                const io::Manifest& manifest, const std::string& path) {
  const auto items = items_of(fields);
  std::vector<std::int64_t> missing;  // cells, by part
  for (const Snapshot::Part& part : snapshot.parts()) missing.push_back(part.box.volume());
  std::vector<std::vector<Box>> found(missing.size());  // blocks of a part, none of which may count twice
  const auto refuse = [&](std::size_t p, const std::string& what, std::string_view allowed) {
    const auto& field = fields[static_cast<std::size_t>(items[snapshot.parts()[p].item].field)];
    throw InvalidArgument(fmt::format("checkpoint manifest '{}': its files {} of field '{}'; allowed are files of {}",
                                      path, what, field.name, allowed));
  };
  for (const io::StoredFile& file : manifest.files) {
    std::optional<io::CheckedReader> reader;
    for (const io::StoredBlock& block : file.blocks) {
      for (std::size_t p = 0; p < snapshot.parts().size(); ++p) {
        const Snapshot::Part& part = snapshot.parts()[p];
        const Stored& item = items[part.item];
        if (item.field != block.field || item.buffer != block.buffer || !part.box.overlaps(block.box)) continue;
        const auto again = std::ranges::find_if(found[p], [&](const Box& other) { return other.overlaps(block.box); });
        if (again != found[p].end()) refuse(p, "have cells twice", "each cell once");
        found[p].push_back(block.box);
        if (!reader) reader.emplace(folder, file.file);
        missing[p] -= read_common(part, block, *reader);
      }
    }
  }
  for (std::size_t p = 0; p < missing.size(); ++p) {
    if (missing[p] > 0) refuse(p, fmt::format("lack {} cells", missing[p]), "all cells");
  }
}

}  // namespace halocline
