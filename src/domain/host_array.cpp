// SPDX-License-Identifier: BSD-3-Clause
#include "halocline/host_array.hpp"

#include <fmt/core.h>

#include "domain/detail/host_copy.hpp"
#include "domain/internals.hpp"
#include "halocline/error.hpp"

namespace halocline {
namespace {

std::string text_of(const Box& box) { return fmt::format("({}) to ({})", to_string(box.lo), to_string(box.hi)); }

void check_within(const Subdomain& subdomain, field_id field, const Box& box) {
  const Box all = subdomain.with_halo(field);
  if (all.contains(box)) return;
  throw InvalidArgument(fmt::format("box of field '{}' of subdomain {} is {}; allowed are boxes within {}",
                                    subdomain.descriptor(field).name, subdomain.id().value(), text_of(box),
                                    text_of(all)));
}

}  // namespace

HostBytes::HostBytes(const Subdomain& subdomain, field_id field)
    : HostBytes(subdomain, field, subdomain.with_halo(field)) {
  owned_ = subdomain.bytes(field).owned();
}

HostBytes::HostBytes(const Subdomain& subdomain, field_id field, const Box& box)
    : element_(subdomain.descriptor(field).element), components_(subdomain.descriptor(field).components) {
  check_within(subdomain, field, box);
  set_box(box);
  const std::int64_t bytes = std::max<std::int64_t>(component_stride_ * components_, 1);
  memory_ = internals(subdomain).backend().allocate_pinned(static_cast<std::size_t>(bytes));
}

void HostBytes::set_box(const Box& box) {
  box_ = box;
  owned_ = box;
  const std::int64_t element = bytes_of(element_);
  const Vec3 extent = box.extent();
  stride_ = {element, element * extent.x, element * extent.x * extent.y};
  component_stride_ = element * box.volume();
}

void HostBytes::move_to(const Subdomain& subdomain, field_id field, const Box& box) {
  check_within(subdomain, field, box);
  const std::int64_t most = static_cast<std::int64_t>(memory_->bytes()) / (bytes_of(element_) * components_);
  if (box.volume() > most) {
    throw InvalidArgument(
        fmt::format("box of field '{}' of subdomain {} is {}, {} cells; allowed are up to {}, for which this "
                    "host copy was made",
                    subdomain.descriptor(field).name, subdomain.id().value(), text_of(box), box.volume(), most));
  }
  set_box(box);
}

ByteView HostBytes::bytes() const {
  const Vec3 first = owned_.lo - box_.lo;
  std::byte* origin = memory_->data() + first.x * stride_[0] + first.y * stride_[1] + first.z * stride_[2];
  return {origin, owned_, box_, stride_, component_stride_};
}

void HostBytes::check_element(Element wanted) const {
  if (wanted == element_) return;
  throw InvalidArgument(
      fmt::format("view of a host copy is of {}; allowed is its own type, {}", to_string(wanted), to_string(element_)));
}

void HostBytes::download(const Subdomain& subdomain, field_id field, int ahead) const {
  copy(subdomain, field, ahead, false);
}

void HostBytes::upload(const Subdomain& subdomain, field_id field, int ahead) const {
  copy(subdomain, field, ahead, true);
}

bool HostBytes::fits(const Subdomain& subdomain, field_id field) const {
  const auto& descriptor = subdomain.descriptor(field);
  return descriptor.element == element_ && descriptor.components == components_ &&
         subdomain.with_halo(field).contains(box_);
}

void HostBytes::copy(const Subdomain& subdomain, field_id field, int ahead, bool up) const {
  const auto& descriptor = subdomain.descriptor(field);
  if (!fits(subdomain, field)) {
    throw InvalidArgument(
        fmt::format("field '{}' of subdomain {} has {} components of {} at {}; allowed for this host copy are {} of {} "
                    "that hold {}",
                    descriptor.name, subdomain.id().value(), descriptor.components, to_string(descriptor.element),
                    text_of(subdomain.with_halo(field)), components_, to_string(element_), text_of(box_)));
  }
  if (box_.empty()) return;
  enqueue_host_copy(subdomain, field, ahead, box_, memory_->data(), up ? CopyTo::device : CopyTo::host);
  subdomain.stream().synchronize();
}

}  // namespace halocline
