// SPDX-License-Identifier: BSD-3-Clause
#include "io/manifest.hpp"

#include <fmt/core.h>

#include <bit>
#include <charconv>

#include "core/bytes.hpp"
#include "halocline/error.hpp"
#include "io/detail/pretty.hpp"
#include "io/digest.hpp"
#include "io/json_cursor.hpp"

namespace halocline::io {
namespace {

constexpr std::string_view schema = "halocline-checkpoint/1";
constexpr std::string_view byte_order = std::endian::native == std::endian::little ? "little" : "big";
constexpr std::string_view prefix = "checkpoint-";
constexpr std::int64_t most_generations = 1'000'000'000'000'000;  ///< so that there always is a next one

Json json_of(const Vec3& v) { return {v.x, v.y, v.z}; }

Json json_of(const StoredField& field) {
  return {{"name", field.name},
          {"element", to_string(field.element)},
          {"components", field.components},
          {"extent", json_of(field.extent)},
          {"buffers", field.buffers}};
}

Json json_of(const StoredBlock& block) {
  return {{"field", block.field},
          {"buffer", block.buffer},
          {"lo", json_of(block.box.lo)},
          {"hi", json_of(block.box.hi)},
          {"offset", block.offset}};
}

std::string hex(std::uint64_t value) { return fmt::format("{:016x}", value); }

Json json_of(const StoredFile& stored) {
  Json json{{"name", stored.file.name}, {"data_bytes", stored.file.data_bytes}, {"xxh3", hex(stored.file.digest)}};
  json["blocks"] = Json::array();
  for (const StoredBlock& block : stored.blocks) json["blocks"].push_back(json_of(block));
  return json;
}

std::uint64_t read_hex(const JsonCursor& json) {
  const std::string text = json.text();
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (text.size() != 16 || error != std::errc{} || end != text.data() + text.size())
    json.refuse("16 hexadecimal digits");
  return value;
}

Vec3 read_vec3(const JsonCursor& json) {
  const auto items = json.items();
  if (items.size() != 3) json.refuse("3 whole numbers");
  return {items[0].integer(0), items[1].integer(0), items[2].integer(0)};
}

StoredField read_field(const JsonCursor& json) {
  json.keys({"name", "element", "components", "extent", "buffers"});
  return {json.at("name").text(), element_from_string(json.at("element").text()), json.at("components").small(1),
          read_vec3(json.at("extent")), json.at("buffers").small(1)};
}

StoredBlock read_block(const JsonCursor& json, const Manifest& manifest, std::int64_t data_bytes) {
  json.keys({"field", "buffer", "lo", "hi", "offset"});
  StoredBlock block;
  block.field = json.at("field").small(0, static_cast<int>(manifest.fields.size()) - 1);
  const StoredField& field = manifest.fields[static_cast<std::size_t>(block.field)];
  block.buffer = json.at("buffer").small(0, field.buffers - 1);
  block.box = {read_vec3(json.at("lo")), read_vec3(json.at("hi"))};
  block.offset = json.at("offset").integer(0);
  const std::int64_t cells = block.box.empty() ? 0 : checked_volume(block.box.extent());
  const Bytes end = Bytes(cells) * (bytes_of(field.element) * field.components) + block.offset;
  if (!Box::of_extent(field.extent).contains(block.box) || !end.at_most(data_bytes)) {
    json.refuse("cells of the field that the file contains");
  }
  return block;
}

StoredFile read_file(const JsonCursor& json, const Manifest& manifest) {
  json.keys({"name", "data_bytes", "xxh3", "blocks"});
  StoredFile stored;
  stored.file = {json.at("name").text(), json.at("data_bytes").integer(0), read_hex(json.at("xxh3"))};
  if (!generation_of(stored.file.name)) json.at("name").refuse("the name of a file of a checkpoint");
  for (const auto& block : json.at("blocks").items()) {
    stored.blocks.push_back(read_block(block, manifest, stored.file.data_bytes));
  }
  return stored;
}

Manifest read_content(const JsonCursor& json) {
  json.keys({"schema", "byte_order", "extent", "fields", "metadata", "files"});
  if (json.at("schema").text() != schema) json.at("schema").refuse(schema);
  if (json.at("byte_order").text() != byte_order) json.at("byte_order").refuse(byte_order);
  Manifest manifest;
  manifest.extent = read_vec3(json.at("extent"));
  for (const auto& field : json.at("fields").items()) manifest.fields.push_back(read_field(field));
  for (const auto& pair : json.at("metadata").items()) {
    const auto texts = pair.texts();
    if (texts.size() != 2) pair.refuse("a key and its value");
    manifest.metadata[texts[0]] = texts[1];
  }
  for (const auto& file : json.at("files").items()) manifest.files.push_back(read_file(file, manifest));
  return manifest;
}

Json content_of(const Manifest& manifest) {
  Json json{{"schema", schema}, {"byte_order", byte_order}, {"extent", json_of(manifest.extent)}};
  for (const char* key : {"fields", "metadata", "files"}) json[key] = Json::array();
  for (const StoredField& field : manifest.fields) json["fields"].push_back(json_of(field));
  for (const auto& [key, value] : manifest.metadata) json["metadata"].push_back(Json::array({key, value}));
  for (const StoredFile& file : manifest.files) json["files"].push_back(json_of(file));
  return json;
}

std::string describe(const StoredField& field) {
  return fmt::format("'{}' with {} components of {}, {} cells, {} buffers", field.name, field.components,
                     to_string(field.element), to_string(field.extent), field.buffers);
}

}  // namespace

std::string text_of(const Manifest& manifest) {
  const Json content = content_of(manifest);
  try {
    const std::string bare = content.dump();
    const Json document{{"checkpoint", content}, {"xxh3", hex(digest_of(std::as_bytes(std::span(bare))))}};
    return pretty(document);
  } catch (const InvalidArgument&) {
    throw InvalidArgument("a name of a field or metadata of a checkpoint is not UTF-8; allowed is UTF-8");
  }
}

Manifest manifest_from(std::string_view text, const std::string& path) {
  try {
    const Json document = parse_document(text);
    const JsonCursor json(document);
    json.keys({"checkpoint", "xxh3"});
    const JsonCursor content = json.at("checkpoint");
    // First, so that damage is reported as damage, whatever it makes of the content.
    const std::string bare = document.find("checkpoint")->dump();
    if (read_hex(json.at("xxh3")) != digest_of(std::as_bytes(std::span(bare)))) {
      throw InvalidArgument("it is damaged: its digest is another one");
    }
    Manifest manifest = read_content(content);
    if (text_of(manifest) != text) throw InvalidArgument("it is damaged: its text is not the one that was written");
    return manifest;
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(fmt::format("checkpoint manifest '{}': {}", path, error.what()));
  }
}

void check_fits(const Manifest& manifest, const Vec3& extent, const std::vector<StoredField>& fields,
                const std::string& path) {
  const auto refuse = [&](const std::string& is, const std::string& wanted) {
    throw InvalidArgument(
        fmt::format("checkpoint manifest '{}' is of another domain: {}; allowed is {}", path, is, wanted));
  };
  if (manifest.extent != extent) refuse("extent is " + to_string(manifest.extent), to_string(extent));
  for (std::size_t f = 0; f < std::max(fields.size(), manifest.fields.size()); ++f) {
    const auto text = [f](const auto& all) { return f < all.size() ? describe(all[f]) : std::string("none"); };
    if (text(manifest.fields) != text(fields)) {
      refuse(fmt::format("field {} is {}", f, text(manifest.fields)), text(fields));
    }
  }
}

std::string manifest_name(std::int64_t generation) { return fmt::format("{}{:010}.json", prefix, generation); }

std::string data_name(std::int64_t generation, std::int64_t rank) {
  return fmt::format("{}{:010}-{}.raw", prefix, generation, rank);
}

std::optional<GenerationFile> generation_of(std::string_view name) {
  if (!name.starts_with(prefix)) return std::nullopt;
  const auto digits = name.substr(prefix.size());
  std::int64_t generation = 0, rank = 0;
  const char* last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, generation);
  if (error != std::errc{} || generation < 0 || generation > most_generations) return std::nullopt;
  if (name == manifest_name(generation)) return GenerationFile{generation, true};
  if (end == last) return std::nullopt;
  std::from_chars(end + 1, last, rank);
  if (name == data_name(generation, rank)) return GenerationFile{generation, false};
  return std::nullopt;
}

}  // namespace halocline::io
