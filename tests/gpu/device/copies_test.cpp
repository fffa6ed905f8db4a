// SPDX-License-Identifier: BSD-3-Clause
// Strided copies by kernels, against their definition carried out on the host.
#include <gmock/gmock.h>

#include "gpu/device/gpus.hpp"
#include "unit/device/strided_case.hpp"

namespace halocline::device::test {
namespace {

using ::testing::StartsWith;

/// A case with both sides in device-accessible memory, at the same offsets.
struct CaseOnDevice {
  StridedCopyCase host;
  std::unique_ptr<Buffer> source;
  std::unique_ptr<Buffer> target;
  std::size_t shift = 0;  ///< offset of both sides from the alignment of allocations
  StridedCopy copy;

  CaseOnDevice(std::mt19937& random, const Vec3& extent, std::int64_t element, const Conversion& conversion = {})
      : host(random, extent, element, conversion) {
    shift = static_cast<std::size_t>(element) * (random() % 20);
  }
  void place(std::unique_ptr<Buffer> from, std::unique_ptr<Buffer> to) {
    source = std::move(from);
    target = std::move(to);
    copy = host.copy;
    copy.source = source->data() + shift + host.from.first;
    copy.target = target->data() + shift + host.to.first;
  }
};

class GpuCopies : public OneGpu {
 protected:
  CaseOnDevice make_case(std::mt19937& random, std::int64_t element, int device_to = 0,
                         const Conversion& conversion = {}) {
    CaseOnDevice one(random, random_extent(random), element, conversion);
    one.place(backend->allocate(0, one.host.source.size() + one.shift),
              backend->allocate(device_to, one.host.actual.size() + one.shift));
    std::vector<std::byte> bytes(one.shift, sentinel);
    bytes.insert(bytes.end(), one.host.source.begin(), one.host.source.end());
    write(one.source->data(), bytes);
    bytes.assign(one.host.actual.size() + one.shift, sentinel);
    write(one.target->data(), bytes);
    return one;
  }
  void check(const CaseOnDevice& one, const std::string& what) {
    const std::vector<std::byte> actual = read(one.target->data() + one.shift, one.host.expected.size());
    ASSERT_EQ(actual, one.host.expected) << what << ": " << to_string(one.host.copy.extent);
  }
};

TEST_F(GpuCopies, EqualTheReferenceForRandomLayouts) {
  const auto stream = backend->create_stream(0);
  std::mt19937 random(20240501);
  for (int i = 0; i < 400; ++i) {
    const std::int64_t element = element_sizes[random() % element_sizes.size()];
    const CaseOnDevice one = make_case(random, element);
    stream->copy(one.copy);
    stream->synchronize();
    check(one, "case " + std::to_string(i));
  }
}

/// One by one and as a list, beside copies that convert nothing.
TEST_F(GpuCopies, ConversionsEqualTheReferenceForRandomLayouts) {
  const auto stream = backend->create_stream(0);
  std::mt19937 random(20261124);
  std::vector<CaseOnDevice> listed;
  std::vector<StridedCopy> copies;
  for (int i = 0; i < 600; ++i) {
    const Conversion& conversion = conversions()[static_cast<std::size_t>(i) % conversions().size()];
    const std::int64_t numbers = conversion.cells == Element::f64 && random() % 4 == 0 ? 2 : 1;
    CaseOnDevice one = make_case(random, numbers * bytes_of(conversion.cells), 0, conversion);
    if (i % 2 == 0) {
      stream->copy(one.copy);
      stream->synchronize();
      check(one, "case " + std::to_string(i));
    } else {
      listed.push_back(std::move(one));
      copies.push_back(listed.back().copy);
      if (i % 10 != 1) continue;
      listed.push_back(make_case(random, 8));
      copies.push_back(listed.back().copy);
    }
  }
  const auto list = backend->prepare(0, copies);
  stream->copy(*list);
  stream->synchronize();
  for (std::size_t i = 0; i < listed.size(); ++i) check(listed[i], "copy " + std::to_string(i));
}

TEST_F(GpuCopies, AListIsAllItsCopies) {
  const auto stream = backend->create_stream(0);
  std::mt19937 random(7);
  std::vector<CaseOnDevice> cases;
  std::vector<StridedCopy> copies;
  std::int64_t bytes = 0;
  for (int i = 0; i < 300; ++i) {
    cases.push_back(make_case(random, element_sizes[random() % element_sizes.size()]));
    copies.push_back(cases.back().copy);
    bytes += cases.back().copy.bytes();
  }
  const auto list = backend->prepare(0, copies);
  EXPECT_EQ(list->bytes(), bytes);
  stream->copy(*list);
  stream->synchronize();
  for (std::size_t i = 0; i < cases.size(); ++i) check(cases[i], "copy " + std::to_string(i));
  EXPECT_EQ(backend->prepare(0, {})->bytes(), 0);
}

/// More tiles than blocks: each block copies several tiles.
TEST_F(GpuCopies, AFaceOfManyRowsIsPackedAndUnpacked) {
  const Vec3 cells{512 + 6, 300, 300};
  const auto bytes = static_cast<std::size_t>(4 * cells.volume());
  const auto stream = backend->create_stream(0);
  const auto array = backend->allocate(0, bytes);
  const auto packed = backend->allocate(0, static_cast<std::size_t>(4 * 3 * 300 * 300));
  std::vector<std::byte> values(bytes);
  for (std::size_t i = 0; i < bytes; ++i) values[i] = static_cast<std::byte>(i * 2654435761u >> 24);
  write(array->data(), values);
  const std::array<std::int64_t, 3> strides{4, 4 * cells.x, 4 * cells.x * cells.y};
  const StridedCopy pack{array->data() + 4 * 512, packed->data(), strides, {4, 12, 12 * 300}, {3, 300, 300}, 4};
  const StridedCopy unpack{packed->data(), array->data(), {4, 12, 12 * 300}, strides, {3, 300, 300}, 4};
  stream->copy(*backend->prepare(0, {&pack, 1}));
  const auto back = backend->prepare(0, {&unpack, 1});
  stream->copy(*back);
  stream->synchronize();
  StridedCopy expected = pack;
  expected.source = values.data() + 4 * 512;
  expected.target = values.data();
  expected.target_stride = strides;
  reference(expected);
  EXPECT_EQ(read(array->data(), bytes), values);
}

TEST_F(GpuCopies, AListBelongsToItsDevice) {
  const auto other = make();
  const auto list = other->prepare(0, {});
  const auto stream = backend->create_stream(0);
  EXPECT_EQ(thrown([&] { stream->copy(*list); }),
            "invalid argument: the list of copies belongs to another backend than the stream");
  StridedCopy wrong;
  wrong.element_bytes = 3;
  EXPECT_THAT(thrown([&] { stream->copy(wrong); }), StartsWith("invalid argument: the element size of a copy is 3"));
}

class PeerCopies : public TwoGpus {};

TEST_F(PeerCopies, KernelsStoreIntoAndLoadFromAnotherGpu) {
  std::mt19937 random(99);
  const auto here = backend->create_stream(0);
  const auto there = backend->create_stream(1);
  for (int i = 0; i < 100; ++i) {
    StridedCopyCase one(random, random_extent(random), 4);
    const auto source = backend->allocate(0, one.source.size());
    const auto target = backend->allocate(1, one.actual.size());
    write(source->data(), one.source);
    write(target->data(), one.actual);
    StridedCopy copy = one.copy;
    copy.source = source->data() + one.from.first;
    copy.target = target->data() + one.to.first;
    Stream& stream = i % 2 == 0 ? *here : *there;  // a put or a get
    stream.copy(copy);
    stream.synchronize();
    ASSERT_EQ(read(target->data(), one.expected.size()), one.expected) << "case " << i;
  }
}

}  // namespace
}  // namespace halocline::device::test
