// SPDX-License-Identifier: BSD-3-Clause
// Manifests of checkpoints. The input is the content; the target adds the digest, without which a change of any byte would be refused before
// the content is read.
#include <fmt/core.h>

#include "document.hpp"
#include "io/digest.hpp"
#include "io/manifest.hpp"
#include "target.hpp"

namespace halocline::fuzz {
namespace {

std::string document_with_digest(std::string_view content) {
  const io::Json json = document_of(content);
  const std::string bare = json.dump();
  const std::string digest = fmt::format("{:016x}", io::digest_of(std::as_bytes(std::span(bare))));
  return io::pretty(io::Json{{"checkpoint", json}, {"xxh3", digest}});
}

void check_whole(const std::string& text) {
  const io::Manifest manifest = io::manifest_from(text, "FILE");
  require(io::text_of(manifest) == text, "a manifest is written as it was read");
  require(io::manifest_from(io::text_of(manifest), "AGAIN") == manifest, "a manifest is equal after it was read");
}

/// Refusals count as none here.
void check_damaged(std::string_view text) {
  for (const std::string& document :
       {std::string(text), "{\"checkpoint\": " + std::string(text) + ", \"xxh3\": \"0123456789abcdef\"}"}) {
    try {
      check_whole(document);
    } catch (const InvalidArgument&) {
    }
  }
}

}  // namespace

std::vector<std::string> own_seeds() {
  io::Manifest manifest;
  manifest.extent = {8, 6, 4};
  manifest.fields = {{"density", Element::f64, 1, {8, 6, 4}, 2}, {"velocity", Element::f32, 3, {9, 6, 4}, 1}};
  manifest.metadata = {{"step", "12"}, {"time", "0.25"}};
  manifest.files.push_back({{io::data_name(3, 0), 4000, 0x0123456789abcdefu},
                            {{0, 0, {{0, 0, 0}, {8, 6, 2}}, 0}, {1, 0, {{0, 0, 0}, {9, 6, 2}}, 768}}});
  manifest.files.push_back({{io::data_name(3, 1), 4000, 1}, {{0, 1, {{0, 0, 2}, {8, 6, 4}}, 64}}});
  const std::string text = io::text_of(manifest);
  return {io::parse_document(text).find("checkpoint")->dump(), text};
}

}  // namespace halocline::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace halocline;
  return fuzz::run_target(data, size, [](std::string_view text) {
    fuzz::check_damaged(text);
    fuzz::check_whole(fuzz::document_with_digest(text));
  });
}
