// SPDX-License-Identifier: BSD-3-Clause
// Seeded random reductions with ranks as threads, against a plain loop over the whole domain: the cases of RandomExchanges, with
// several steps for each exchange, components, staggered fields and swaps. A failure names its seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "comm/local_ranks.hpp"
#include "domain/internals.hpp"
#include "support/effort.hpp"
#include "support/halo_case.hpp"
#include "support/seeded.hpp"

namespace halocline::test {
namespace {

/// Numbers whose sums, and sums of squares, are exact in any order.
double reduced_number(const Vec3& p, std::size_t field, int component, int step) {
  Seeded seeded(static_cast<std::uint64_t>(((p.z * 1000 + p.y) * 1000 + p.x) * 100 + component * 10 + step) +
                field * 77);
  return static_cast<double>(seeded.between(-2500, 1500)) / 8;
}

/// A step's exact results, by all_reductions.
std::array<double, 5> plain_loop(const Box& cells, const FieldDescriptor& field, std::size_t number, int step) {
  std::array<double, 5> results{0, 0, HUGE_VAL, -HUGE_VAL, 0};
  for_each_cell(cells, [&](const Vec3& p) {
    for (int component = 0; component < field.components; ++component) {
      const double value = reduced_number(p, number, component, step);
      results[0] += value;
      results[1] += value * value;
      results[2] = std::min(results[2], value);
      results[3] = std::max(results[3], value);
      results[4] = std::max(results[4], std::abs(value));
    }
  });
  return results;
}

/// Writes the owned cells, and NaN around them, in stream order.
template <typename T>
void fill_in_stream(const Subdomain& s, field_id field, int components, int step) {
  const View<T> view = s.view(Field<T>{field});
  s.launch(view.with_halo(), [=](const Box& part) {
    for_each_cell(part, [&](const Vec3& p) {
      for (int c = 0; c < components; ++c) {
        view(p, c) =
            static_cast<T>(view.owned().contains(p) ? reduced_number(p, field.index(), c, step) : std::nan(""));
      }
    });
  });
}

void run_reductions(comm::RankGroup& comm, HaloCase& c, std::uint64_t seed) {
  Seeded seeded(seed);
  DomainOptions options = options_of(comm, c);
  if (seed % 3 == 0 && c.boxes.empty()) {
    options.steps_per_exchange = 2;
    for (int dim = 0; dim < 3; ++dim) c.extent[dim] *= 2;
  }
  Domain domain(c.extent, c.radius, comm, options);
  for (FieldDescriptor& field : c.fields) {
    if (field.element != Element::f32) field.element = Element::f64;
    domain.add_field(field);
  }
  std::vector<std::pair<std::size_t, std::size_t>> reductions;  // field, place in all_reductions
  for (std::size_t f = 0; f < c.fields.size(); ++f) {
    for (std::size_t k = 0; k < all_reductions.size(); ++k) {
      if (!reductions.empty() && seeded.chance(30)) continue;
      const reduction_id made = domain.add_reduction(field_id(static_cast<std::int64_t>(f)), all_reductions[k]);
      EXPECT_EQ(made.index(), reductions.size());
      reductions.emplace_back(f, k);
    }
  }
  domain.on_open_boundary({});
  domain.realize();
  for (int step = 0; step < 6; ++step) {
    for (std::size_t f = 0; f < c.fields.size(); ++f) {
      const field_id id(static_cast<std::int64_t>(f));
      if (c.fields[f].buffers > 1 && seeded.chance(50)) domain.swap(id);
      for (const Subdomain& s : domain.subdomains()) {
        if (c.fields[f].element == Element::f32) fill_in_stream<float>(s, id, c.fields[f].components, step);
        else fill_in_stream<double>(s, id, c.fields[f].components, step);
      }
    }
    if (seeded.chance(50)) domain.exchange();
    std::vector<reduction_id> some;
    for (std::size_t i = 0; i < reductions.size(); ++i) {
      if (seeded.chance(60)) some.emplace_back(static_cast<std::int64_t>(i));
    }
    domain.reduce(some);
    for (const reduction_id one : some) {
      const auto& [f, k] = reductions[one.index()];
      const Box all = internals(domain).geometry().domain_box(field_id(static_cast<std::int64_t>(f)));
      const double expected = plain_loop(all, c.fields[f], f, step)[k];
      ASSERT_EQ(domain.value(one), expected) << c.name << ", step " << step << ", " << to_string(all_reductions[k])
                                             << " of field " << f << ", rank " << comm.rank().value();
      for (const Subdomain& s : domain.subdomains()) ASSERT_EQ(*s.result(one), expected) << c.name;
    }
    domain.synchronize();
  }
  domain.close();
}

TEST(RandomReductions, are_as_a_plain_loop_says) {
  const std::vector<int> shapes = rank_counts({1, 2, 3, 4, 6});
  const std::uint64_t count = some_of<std::uint64_t>(300);
  for (std::size_t shape = 0; shape < shapes.size(); ++shape) {
    comm::run_as_threads(shapes[shape], [&](comm::RankGroup& comm) {
      for (std::uint64_t seed = 80000 + shape; seed < 80000 + count; seed += shapes.size()) {
        HaloCase c = random_case(seed, shapes[shape]);
        if (seed % 4 == 0) c.delay_seed = seed + 1;
        run_reductions(comm, c, seed);
      }
    });
  }
}

}  // namespace
}  // namespace halocline::test
