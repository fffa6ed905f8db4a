// SPDX-License-Identifier: BSD-3-Clause
// The arrays of a domain as NumPy arrays.
#include <cstring>
#include <utility>

#include "domain.hpp"

namespace halocline::python {
namespace {

nb::dlpack::dtype dtype_of(Element element) {
  using Code = nb::dlpack::dtype_code;
  const auto of = [&](Code code) {
    return nb::dlpack::dtype{static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(8 * bytes_of(element)), 1};
  };
  switch (element) {
    case Element::i8:
    case Element::i16:
    case Element::i32:
    case Element::i64: return of(Code::Int);
    case Element::u8:
    case Element::u16:
    case Element::u32:
    case Element::u64: return of(Code::UInt);
    case Element::f16:
    case Element::f32:
    case Element::f64: return of(Code::Float);
    case Element::bf16: return of(Code::Bfloat);
    case Element::c64:
    case Element::c128: return of(Code::Complex);
  }
  throw InternalError("an element without a dtype");
}

/// The memory of a view with its halo, in C order and in elements.
struct Strided {
  std::byte* first = nullptr;
  std::vector<std::size_t> shape;
  std::vector<std::int64_t> strides;

  Strided(const ByteView& view, const FieldDescriptor& field) {
    const std::int64_t bytes = bytes_of(field.element);
    const Vec3 extent = view.with_halo().extent();
    const auto stride = view.stride_bytes();
    const Vec3 below = view.owned().lo - view.with_halo().lo;
    first = view.data() - below.x * stride[0] - below.y * stride[1] - below.z * stride[2];
    const auto axis = [&](std::int64_t n, std::int64_t step) {
      if (step % bytes != 0) throw InternalError("an array whose strides are not whole elements");
      shape.push_back(static_cast<std::size_t>(n));
      strides.push_back(step / bytes);
    };
    if (field.components > 1) axis(field.components, view.component_stride_bytes());
    axis(extent.z, stride[2]);
    axis(extent.y, stride[1]);
    axis(extent.x, stride[0]);
  }
};

/// The cells of a view with their halo, as an array of NumPy that keeps its owner.
nb::ndarray<nb::numpy> as_array(const ByteView& view, const FieldDescriptor& field, const nb::handle& owner) {
  const Strided at(view, field);
  return nb::ndarray<nb::numpy>(at.first, at.shape.size(), at.shape.data(), owner, at.strides.data(),
                                dtype_of(field.element));
}

/// Counts an array for as long as NumPy has it, and keeps its domain.
struct Lease {
  std::shared_ptr<int> count;
  nb::object domain;
  Lease(std::shared_ptr<int> leases, nb::object keeps) : count(std::move(leases)), domain(std::move(keeps)) {
    ++*count;
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease() { --*count; }
};

template <typename T>
nb::capsule capsule_of(std::unique_ptr<T> value) {
  nb::capsule owner(value.get(), [](void* held) noexcept { delete static_cast<T*>(held); });
  static_cast<void>(value.release());
  return owner;
}

}  // namespace

nb::ndarray<nb::numpy> DomainHandle::array(const nb::object& self, std::size_t position, std::int64_t field,
                                           int ahead) {
  if (!on_host()) throw CapabilityError("the field is in the memory of a GPU; allowed is device_array()");
  const Subdomain& at = subdomain(position);
  return as_array(at.bytes(field_id(field), ahead), at.descriptor(field_id(field)),
                  capsule_of(std::make_unique<Lease>(leases_, self)));
}

nb::ndarray<> DomainHandle::device_array(const nb::object& self, std::size_t position, std::int64_t field, int ahead) {
  if (on_host()) throw CapabilityError("the field is in the memory of the host; allowed is array()");
  const Subdomain& at = subdomain(position);
  const FieldDescriptor& descriptor = at.descriptor(field_id(field));
  const Strided memory(at.bytes(field_id(field), ahead), descriptor);
  return nb::ndarray<>(memory.first, memory.shape.size(), memory.shape.data(),
                       capsule_of(std::make_unique<Lease>(leases_, self)), memory.strides.data(),
                       dtype_of(descriptor.element), nb::device::cuda::value, at.device_info().native_ordinal);
}

std::tuple<std::uintptr_t, std::vector<std::size_t>, std::vector<std::int64_t>, int> DomainHandle::layout(
    std::size_t position, std::int64_t field, int ahead) {
  const Subdomain& at = subdomain(position);
  const FieldDescriptor& descriptor = at.descriptor(field_id(field));
  Strided memory(at.bytes(field_id(field), ahead), descriptor);
  for (std::int64_t& stride : memory.strides) stride *= bytes_of(descriptor.element);
  return {reinterpret_cast<std::uintptr_t>(memory.first), memory.shape, memory.strides,
          at.device_info().native_ordinal};
}

void DomainHandle::use_array(std::int64_t field, std::size_t position, int buffer, const UsersMemory& memory,
                             const std::string& axes, const Triple& below, const Triple& above) {
  const Subdomain& at = subdomain(position);
  const auto& [address, shape, strides, dtype, owner] = memory;
  const auto vec = [](const Triple& t) { return Vec3{t[0], t[1], t[2]}; };
  domain().use_array(field_id(field), at.id(), buffer,
                     array_of(reinterpret_cast<void*>(address), at.descriptor(field_id(field)).element, shape, strides,
                              axes, vec(below), vec(above)));
  users_arrays_.push_back(owner);
}

UsersMemory dlpack_memory(const nb::ndarray<>& array) {
  std::vector<std::int64_t> shape, strides;
  for (std::size_t axis = 0; axis < array.ndim(); ++axis) {
    shape.push_back(static_cast<std::int64_t>(array.shape(axis)));
    strides.push_back(array.stride(axis));
  }
  const nb::dlpack::dtype type = array.dtype();
  std::string name = "another type";
  for (const auto& [code, kind] :
       {std::pair(nb::dlpack::dtype_code::Int, "int"), std::pair(nb::dlpack::dtype_code::UInt, "uint"),
        std::pair(nb::dlpack::dtype_code::Float, "float"), std::pair(nb::dlpack::dtype_code::Complex, "complex")}) {
    if (type.code == static_cast<std::uint8_t>(code) && type.lanes == 1) name = kind + std::to_string(type.bits);
  }
  return {reinterpret_cast<std::uintptr_t>(array.data()), std::move(shape), std::move(strides), std::move(name),
          capsule_of(std::make_unique<nb::ndarray<>>(array))};
}

nb::ndarray<nb::numpy> DomainHandle::download(std::size_t position, std::int64_t field, int ahead) {
  const Subdomain& at = subdomain(position);
  const field_id id(field);
  auto copy = std::make_unique<HostBytes>(at, id);
  {
    const nb::gil_scoped_release release;
    copy->download(at, id, ahead);
  }
  const ByteView view = copy->bytes();
  return as_array(view, at.descriptor(id), capsule_of(std::move(copy)));
}

void DomainHandle::upload(std::size_t position, std::int64_t field, int ahead,
                          const nb::ndarray<nb::c_contig, nb::device::cpu>& values) {
  const Subdomain& at = subdomain(position);
  const field_id id(field);
  const FieldDescriptor& descriptor = at.descriptor(id);
  const HostBytes copy(at, id);
  const ByteView view = copy.bytes();
  if (values.dtype() != dtype_of(descriptor.element) ||
      static_cast<std::int64_t>(values.size()) != view.with_halo().volume() * descriptor.components) {
    throw InvalidArgument("the array to upload has another type or size than the field with its halo");
  }
  const nb::gil_scoped_release release;
  const auto bytes = static_cast<std::size_t>(bytes_of(descriptor.element));
  const auto* from = static_cast<const std::byte*>(values.data());
  for (int component = 0; component < descriptor.components; ++component) {
    for_each_cell(view.with_halo(), [&](const Vec3& p) {
      std::memcpy(&view(p, component), from, bytes);
      from += bytes;
    });
  }
  copy.upload(at, id, ahead);
}

}  // namespace halocline::python
