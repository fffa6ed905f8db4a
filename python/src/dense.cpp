// SPDX-License-Identifier: BSD-3-Clause
// An exchange between dense arrays that are no memory of the domain, for frameworks whose arrays have no padded rows.
#include <cstring>

#include "domain.hpp"

namespace halocline::python {
namespace {

enum class Way { to_field, from_field };

/// Copies the cells of a box between a field and a dense array: components, z, y, x in C order.
template <Way way, typename Bytes>
void copy(const ByteView& view, const Box& box, const FieldDescriptor& field, Bytes* dense) {
  const auto bytes = static_cast<std::size_t>(bytes_of(field.element));
  const std::int64_t step = view.stride_bytes()[0];
  const auto cells = static_cast<std::size_t>(box.extent().x);
  const auto move = [](std::byte* cell, Bytes* other, std::size_t count) {
    if constexpr (way == Way::to_field) {
      std::memcpy(cell, other, count);
    } else {
      std::memcpy(other, cell, count);
    }
  };
  if (cells == 0) return;
  for (int component = 0; component < field.components; ++component) {
    for (std::int64_t z = box.lo.z; z < box.hi.z; ++z) {
      for (std::int64_t y = box.lo.y; y < box.hi.y; ++y) {
        std::byte* row = &view({box.lo.x, y, z}, component);
        if (step == static_cast<std::int64_t>(bytes)) {
          move(row, dense, cells * bytes);
        } else {
          for (std::size_t x = 0; x < cells; ++x)
            move(row + static_cast<std::int64_t>(x) * step, dense + x * bytes, bytes);
        }
        dense += cells * bytes;
      }
    }
  }
}

}  // namespace

void DomainHandle::exchange_dense(std::int64_t field, const std::vector<const std::byte*>& given,
                                  const std::vector<std::byte*>& results, bool backwards) {
  const nb::gil_scoped_release release;
  const std::lock_guard alone(calls_);
  Domain& all = domain();
  const auto subdomains = all.subdomains();
  const field_id id(field);
  if (!on_host()) throw CapabilityError("an exchange of dense arrays is for host devices; the domain's are GPUs");
  if (given.size() != subdomains.size() || results.size() != subdomains.size()) {
    throw InternalError("an exchange of dense arrays without one for each subdomain");
  }
  for (std::size_t i = 0; i < subdomains.size(); ++i) {
    const ByteView view = subdomains[i].bytes(id);
    const FieldDescriptor& descriptor = subdomains[i].descriptor(id);
    if (backwards) {
      copy<Way::to_field>(view, view.with_halo(), descriptor, given[i]);
      continue;
    }
    // Halo cells that no message fills are 0.
    const Box& box = view.with_halo();
    const auto bytes = static_cast<std::size_t>(box.volume() * bytes_of(descriptor.element)) *
                       static_cast<std::size_t>(descriptor.components);
    std::memset(results[i], 0, bytes);
    copy<Way::to_field>(view, box, descriptor, static_cast<const std::byte*>(results[i]));
    copy<Way::to_field>(view, view.owned(), descriptor, given[i]);
  }
  const std::vector<Transfer> transfers{{.field = id}};
  if (backwards) {
    all.accumulate(transfers);
  } else {
    all.start_exchange(transfers).finish();
  }
  all.synchronize();
  for (std::size_t i = 0; i < subdomains.size(); ++i) {
    const ByteView view = subdomains[i].bytes(id);
    const Box& box = backwards ? view.owned() : view.with_halo();
    copy<Way::from_field>(view, box, subdomains[i].descriptor(id), results[i]);
  }
}

}  // namespace halocline::python
