// SPDX-License-Identifier: BSD-3-Clause
// Memory of another backend, and whose doorbell its addresses ring.
#include <gtest/gtest.h>

#include <memory>

#include "device/detail/exported.hpp"
#include "device/host/doorbell.hpp"
#include "device/host/memory.hpp"

namespace halocline::device::host {
namespace {

TEST(HostMapping, RingsItsOwnersDoorbellForAsLongAsItIsMapped) {
  const auto theirs = std::make_shared<Doorbell>();
  const auto own = std::make_shared<Doorbell>();
  const auto memory = make_shareable(0, 4096, theirs, "a device", [] {});
  const auto doorbells = std::make_shared<DoorbellMap>(own);
  auto mapping = make_mapping(unpack<ExportedMemory>(memory->handle()), doorbells, true);
  const std::byte* const last = mapping->data() + mapping->bytes() - 1;
  const auto rung = doorbells->of(last);
  ASSERT_NE(rung, own);
  EXPECT_EQ(rung->value(), theirs->value());
  theirs->ring();
  EXPECT_EQ(rung->value(), theirs->value()) << "it is another one than theirs";
  EXPECT_EQ(doorbells->of(last + 1), own);
  mapping.reset();
  EXPECT_EQ(doorbells->of(last), own) << "the address may be given to this backend's memory now";
}

}  // namespace
}  // namespace halocline::device::host
