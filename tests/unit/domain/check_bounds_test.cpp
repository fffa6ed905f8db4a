// SPDX-License-Identifier: BSD-3-Clause
// HALOCLINE_CHECK_BOUNDS, which is defined for this program: which accesses are refused, and that correct programs run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halocline/halocline.hpp"
#include "support/error_of.hpp"

namespace halocline {
namespace {

using test::error_of;
using testing::HasSubstr;

static_assert(check_bounds);
static_assert(std::is_trivially_copyable_v<View<double>>);
static_assert(sizeof(View<double, false>) + sizeof(ViewBounds) == sizeof(View<double, true>), "no cost without checks");

std::string text_of(const Vec3& cell) {
  return "(" + std::to_string(cell.x) + ", " + std::to_string(cell.y) + ", " + std::to_string(cell.z) + ")";
}

/// Two host devices; a step reads one cell across faces.
class CheckBounds : public testing::Test {
 protected:
  CheckBounds() : domain({8, 6, 10}, Stencil::star(1), {.devices = {.kind = DeviceKind::host, .per_rank = 2}}) {
    u = domain.add_field<double>("u", {.components = 2, .buffers = 2});
    domain.realize();
    for (const Subdomain& s : domain.subdomains()) {
      for_each_cell(s.owned(), [&](const Vec3& p) { s.view(u)(p, 1) = s.view(u)(p) = 1; });
    }
    domain.exchange();
    domain.synchronize();
  }
  ~CheckBounds() override { domain.close(); }
  [[nodiscard]] const Subdomain& first() const { return domain.subdomains().front(); }
  template <typename ViewOfU>
  static std::string refusal(const ViewOfU& view, const Vec3& cell, int component = 0) {
    return error_of<InvalidArgument>([&] { static_cast<void>(view(cell, component)); });
  }
  Domain domain;
  Field<double> u;
};

TEST_F(CheckBounds, LetCorrectStepsPass) {
  for (const Subdomain& s : domain.subdomains()) {
    s.launch(s.owned(), [now = s.read(u), next = s.write(u)](const Box& box) {
      for_each_cell(box, [&](const Vec3& p) {
        for (int c = 0; c < 2; ++c) {
          next(p, c) = now(p, c);
          for (const Vec3& d : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}})
            next(p, c) += now(p - d, c) + now(p + d, c);
        }
      });
    });
  }
  domain.swap(u);
  domain.synchronize();
  for (const Subdomain& s : domain.subdomains()) {
    for_each_cell(s.owned(), [&](const Vec3& p) { ASSERT_EQ(s.view(u)(p, 1), 7); });
  }
}

TEST_F(CheckBounds, NameTheCellTheFieldAndTheSubdomain) {
  const Box all = first().view(u).with_halo();
  EXPECT_EQ(refusal(first().view(u), all.lo), "(no error)");  // hooks of open boundaries write here
  for (int dim = 0; dim < 3; ++dim) {
    Vec3 below = first().owned().lo;
    below[dim] = all.lo[dim] - 1;
    Vec3 above = first().owned().lo;
    above[dim] = all.hi[dim];
    for (const Vec3& cell : {below, above}) {
      for (const std::string& text : {refusal(first().view(u), cell), refusal(first().read(u), cell)}) {
        EXPECT_THAT(text,
                    HasSubstr("cell " + text_of(cell) + " of field 'u' of subdomain 0 was accessed; allowed are " +
                              to_string(all) + ": the owned cells " + to_string(first().owned())));
      }
    }
  }
  EXPECT_EQ(refusal(first().read(u), first().owned().lo, 2),
            "component 2 of field 'u' of subdomain 0 was accessed; allowed are 0 to 1");
  EXPECT_THAT(refusal(first().read(u), first().owned().lo, -1), HasSubstr("component -1 of field 'u'"));
}

/// Each of the 26 parts of the halo.
TEST_F(CheckBounds, FindReadsThatTheStencilDoesNotHave) {
  const Box& owned = first().owned();
  for (int z = -1; z <= 1; ++z) {
    for (int y = -1; y <= 1; ++y) {
      for (int x = -1; x <= 1; ++x) {
        const Vec3 side{x, y, z};
        Vec3 cell = owned.lo + Vec3{1, 1, 1};
        for (int dim = 0; dim < 3; ++dim) {
          if (side[dim] < 0) cell[dim] = owned.lo[dim] - 1;
          if (side[dim] > 0) cell[dim] = owned.hi[dim];
        }
        const bool read = x * x + y * y + z * z <= 1;
        if (read) EXPECT_EQ(refusal(first().read(u), cell), "(no error)") << to_string(side);
        else {
          EXPECT_EQ(refusal(first().read(u), cell), "cell " + text_of(cell) +
                                                        " of field 'u' of subdomain 0 was read; it is in a part of the "
                                                        "halo that its stencil does not read, so that "
                                                        "no exchange fills it");
        }
      }
    }
  }
}

TEST_F(CheckBounds, FailTheStreamOfAKernel) {
  Domain other({8, 8, 8}, Stencil::box(1));
  const auto v = other.add_field<float>("v");
  other.realize();
  const Subdomain& s = other.subdomains().front();
  s.launch(s.owned(), [view = s.view(v)](const Box& box) { view(box.lo - Vec3{2, 0, 0}) = 1; });
  EXPECT_THAT(error_of<InvalidArgument>([&] { other.synchronize(); }),
              HasSubstr("cell (-2, 0, 0) of field 'v' of subdomain 0 was accessed"));
  EXPECT_THAT(error_of<InvalidArgument>([&] { other.exchange(); }), HasSubstr("of field 'v'"));
}

TEST_F(CheckBounds, HoldForCopiesOnTheHost) {
  const HostArray<double> copy = to_host(first(), u);
  EXPECT_THAT(error_of<InvalidArgument>([&] {
                static_cast<void>(copy(first().owned().hi + Vec3{1, 0, 0}));
              }),
              HasSubstr("of a copy on the host was accessed; allowed are"));
}

}  // namespace
}  // namespace halocline
