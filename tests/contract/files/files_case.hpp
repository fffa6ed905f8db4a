// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "domain/internals.hpp"
#include "halocline/files.hpp"
#include "halocline/host_array.hpp"
#include "support/seeded.hpp"
#include "support/temporary_folder.hpp"

// Domains whose cells tests of files write, change and compare.
namespace halocline::test {

inline std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
inline void put_content(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

struct FilesCase {
  Vec3 extent{13, 11, 9};
  Boundaries boundaries{Boundary::periodic, Boundary::periodic, Boundary::open};
  int devices = 1;  ///< of each rank
  std::vector<FieldDescriptor> fields{{.name = "u", .element = Element::f64, .buffers = 2},
                                      {.name = "v", .element = Element::f32, .components = 3},
                                      {.name = "w", .element = Element::i16, .staggered = {false, true, true}},
                                      {.name = "c", .element = Element::c128}};
};

/// A realized domain, closed at the end.
class FilesDomain {
 public:
  FilesDomain(comm::RankGroup& comm, const FilesCase& c) : domain(c.extent, Stencil::star(1), comm, options(c)) {
    for (const auto& field : c.fields) ids.push_back(domain.add_field(field));
    domain.realize();
  }
  ~FilesDomain() { domain.close(); }
  FilesDomain(const FilesDomain&) = delete;
  FilesDomain& operator=(const FilesDomain&) = delete;

  Domain domain;
  std::vector<field_id> ids;

 private:
  static DomainOptions options(const FilesCase& c) {
    DomainOptions options;
    options.boundaries = c.boundaries;
    options.devices.kind = DeviceKind::host;
    options.devices.per_rank = c.devices;
    return options;
  }
};

/// Bytes of an element that depend on everything.
inline std::array<std::byte, 16> element_at(const Vec3& p, int component, std::int64_t field, std::int64_t buffer,
                                            std::int64_t salt) {
  Seeded random(
      static_cast<std::uint64_t>(((((salt * 16 + buffer) * 16 + field) * 16 + component) * 1024 + p.z) * 1024 + p.y) *
          1024 +
      static_cast<std::uint64_t>(p.x));
  const std::array<std::uint64_t, 2> words{random.next(), random.next()};
  std::array<std::byte, 16> bytes{};
  std::memcpy(bytes.data(), words.data(), sizeof words);
  return bytes;
}

/// Calls each(element's address, expected bytes, number of bytes) for the owned cells of a host copy.
template <typename Each>
void for_each_element(const HostBytes& copy, const FieldDescriptor& field, std::int64_t id, std::int64_t ahead,
                      std::int64_t salt, Each&& each) {
  const ByteView view = copy.bytes();
  const auto bytes = static_cast<std::size_t>(bytes_of(field.element));
  for (int component = 0; component < field.components; ++component) {
    for_each_cell(view.owned(), [&](const Vec3& p) {
      const auto wanted = element_at(p, component, id, ahead, salt);
      each(&view(p, component), wanted.data(), bytes);
    });
  }
}

/// Sets the owned cells of all buffers, and the halos to 0.
inline void fill(FilesDomain& d, std::int64_t salt) {
  for (const Subdomain& s : d.domain.subdomains()) {
    for (const field_id id : d.ids) {
      const auto& field = s.descriptor(id);
      for (int ahead = 0; ahead < field.buffers; ++ahead) {
        const HostBytes copy(s, id);
        for_each_element(copy, field, id.value(), ahead, salt,
                         [](std::byte* at, const std::byte* wanted, std::size_t n) { std::memcpy(at, wanted, n); });
        copy.upload(s, id, ahead);
      }
    }
  }
}

/// How many elements of the first `buffers` buffers are not those of fill(); all cells are compared.
inline std::int64_t different(FilesDomain& d, std::int64_t salt, int buffers = 1) {
  std::int64_t wrong = 0;
  for (const Subdomain& s : d.domain.subdomains()) {
    for (const field_id id : d.ids) {
      const auto& field = s.descriptor(id);
      for (int ahead = 0; ahead < std::min(field.buffers, buffers); ++ahead) {
        const HostBytes copy(s, id);
        copy.download(s, id, ahead);
        for_each_element(copy, field, id.value(), ahead, salt,
                         [&](std::byte* at, const std::byte* wanted, std::size_t n) {
                           wrong += std::memcmp(at, wanted, n) == 0 ? 0 : 1;
                         });
      }
    }
  }
  return wrong;
}

}  // namespace halocline::test
