// SPDX-License-Identifier: BSD-3-Clause
// Exchanges that serve several steps: for any stencil and partition, steps give the result of a serial program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "comm/local_ranks.hpp"
#include "domain/internals.hpp"
#include "halocline/halocline.hpp"
#include "halocline/session.hpp"
#include "support/effort.hpp"
#include "support/error_of.hpp"
#include "support/seeded.hpp"

namespace halocline {
namespace {

using testing::HasSubstr;
using Value = std::uint64_t;

/// Three fields: u and v read each other and c; c is constant and read only in the same cell.
enum FieldIndex : std::size_t { u_index, v_index, c_index, field_count };

struct Case {
  Vec3 extent;
  std::array<Stencil, field_count> radius;
  Boundaries boundaries{};
  overlap::Update update = overlap::Update::double_buffered;
  int steps_per_exchange = 1;
  int ranks = 1;
  int devices = 1;
  int steps = 1;
  bool overlap = true;

  Case(std::uint64_t seed, int steps_in) : steps_per_exchange(steps_in) {
    test::Seeded seeded(seed);
    ranks = static_cast<int>(seeded.between(1, 3));
    devices = static_cast<int>(seeded.between(1, 3));
    steps = static_cast<int>(seeded.between(1, 7));
    overlap = seeded.chance(60);
    for (const std::size_t f : {u_index, v_index}) {
      Vec3 lower;
      Vec3 upper;
      for (int dim = 0; dim < 3; ++dim) {
        lower[dim] = seeded.between(0, 2);
        upper[dim] = seeded.between(0, 2);
      }
      radius[f] = Stencil::per_side(lower, upper);
      if (seeded.chance(40)) radius[f] = radius[f].without_edges().without_corners();
    }
    for (int dim = 0; dim < 3; ++dim) {
      extent[dim] = seeded.between(2 * steps_per_exchange, 2 * steps_per_exchange + 4);
      boundaries[static_cast<std::size_t>(dim)] = seeded.chance(40) ? Boundary::open : Boundary::periodic;
    }
    extent[static_cast<int>(seeded.between(0, 2))] += std::int64_t{2} * steps_per_exchange * ranks * devices;
  }
  [[nodiscard]] std::string text() const {
    return to_string(extent) + ", radius " + to_string(radius[0]) + " and " + to_string(radius[1]) + ", " +
           std::to_string(ranks) + " x " + std::to_string(devices) + " devices, " + std::to_string(steps) +
           " steps, steps_per_exchange " + std::to_string(steps_per_exchange) + (overlap ? ", overlapped" : "") +
           ", open" + (boundaries[0] == Boundary::open ? " x" : "") + (boundaries[1] == Boundary::open ? " y" : "") +
           (boundaries[2] == Boundary::open ? " z" : "");
  }
};

Value mixed(Value v) {
  v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9u;
  v = (v ^ (v >> 27)) * 0x94d049bb133111ebu;
  return v ^ (v >> 31);
}

Value initial(const Vec3& extent, const Vec3& p, std::size_t field) {
  return mixed(static_cast<Value>(((p.z * extent.y + p.y) * extent.x + p.x) * 3) + field + 1);
}

/// The sum over all cells that the stencil reads, with a different weight for each.
template <typename Read>
Value weighted(const Stencil& radius, const Vec3& p, Read&& read) {
  Value sum = 0;
  Value weight = 1;
  for_each_cell({Vec3{} - radius.lower(), radius.upper() + Vec3::filled(1)}, [&](const Vec3& offset) {
    weight += 2;
    const auto sign = [](std::int64_t v) { return v < 0 ? -1 : (v > 0 ? 1 : 0); };
    const int sides[] = {sign(offset.x), sign(offset.y), sign(offset.z)};
    const bool centre = sides[0] == 0 && sides[1] == 0 && sides[2] == 0;
    if (!centre && !radius.reads(Direction::of(sides[0], sides[1], sides[2]))) return;
    sum += weight * read(p + offset);
  });
  return sum;
}

/// The next value of a cell of u or v. read(field, cell)
template <typename Read>
Value next_value(const Case& c, std::size_t field, const Vec3& p, Read&& read) {
  Value sum = field + 1;
  for (const std::size_t f : {u_index, v_index}) {
    sum = 31 * sum + weighted(c.radius[f], p, [&](const Vec3& q) { return read(f, q); });
  }
  return mixed(sum ^ read(c_index, p));
}

/// The value beyond an open end, from the nearest cell and the distance to it.
Value beyond(Value nearest, int dim, std::int64_t distance) {
  return mixed(nearest + static_cast<Value>(97 * dim + distance));
}

/// All fields, x fastest.
using Serial = std::array<std::vector<Value>, field_count>;

std::size_t index_of(const Vec3& extent, const Vec3& p) {
  return static_cast<std::size_t>((p.z * extent.y + p.y) * extent.x + p.x);
}

Serial solve_serially(const Case& c) {
  Serial now;
  const Box all = Box::of_extent(c.extent);
  for (std::size_t f = 0; f < field_count; ++f) {
    for_each_cell(all, [&](const Vec3& p) { now[f].push_back(initial(c.extent, p, f)); });
  }
  const std::function<Value(std::size_t, Vec3)> read = [&](std::size_t f, Vec3 p) {
    for (int dim = 2; dim >= 0; --dim) {  // z was filled last
      const auto d = static_cast<std::size_t>(dim);
      if (p[dim] >= 0 && p[dim] < c.extent[dim]) continue;
      if (c.boundaries[d] == Boundary::periodic) {
        p[dim] = (p[dim] + 4 * c.extent[dim]) % c.extent[dim];
        continue;
      }
      const std::int64_t edge = p[dim] < 0 ? 0 : c.extent[dim] - 1;
      const std::int64_t distance = std::abs(p[dim] - edge);
      p[dim] = edge;
      return beyond(read(f, p), dim, distance);
    }
    return now[f][index_of(c.extent, p)];
  };
  for (int step = 0; step < c.steps; ++step) {
    Serial next = now;
    for (const std::size_t f : {u_index, v_index}) {
      for_each_cell(all, [&](const Vec3& p) { next[f][index_of(c.extent, p)] = next_value(c, f, p, read); });
    }
    now = std::move(next);
  }
  return now;
}

/// The same program, distributed.
class Program {
 public:
  Program(const Case& c, comm::RankGroup& comm) : case_(c), domain_(c.extent, c.radius[u_index], comm, options()) {
    for (std::size_t f = 0; f < field_count; ++f) {
      FieldDescriptor descriptor;
      descriptor.name = "uvc"[f];
      descriptor.element = Element::u64;
      descriptor.buffers = f == c_index ? 1 : 2;
      if (f != u_index) descriptor.stencil = c.radius[f];
      fields_[f] = {domain_.add_field(descriptor)};
    }
    domain_.realize();
    domain_.on_open_boundary([this](const Subdomain& s, field_id field, const overlap::OpenBoundaryBox& boundary) {
      s.launch(boundary.box, [=, view = s.view(Field<Value>{field}), owned = s.owned()](const Box& part) {
        const int dim = static_cast<int>(boundary.dim);
        for_each_cell(part, [&](const Vec3& p) {
          Vec3 nearest = p;
          nearest[dim] = boundary.side == Side::lower ? owned.lo[dim] : owned.hi[dim] - 1;
          view(p) = beyond(view(nearest), dim, std::abs(p[dim] - nearest[dim]));
        });
      });
    });
  }

  void run() {
    fill();
    domain_.exchange({{fields_[c_index]}});
    const std::array<field_id, 2> moving{fields_[u_index].id, fields_[v_index].id};
    for (int i = 0; i < case_.steps; ++i) {
      const int step = i % domain_.plan().steps_per_exchange;
      if (step > 0) {
        for (const Subdomain& s : domain_.subdomains()) {
          s.fill_open_boundaries(step, moving);
          update(s, s.update_box(step));
        }
      } else {
        auto exchange = domain_.start_exchange({{moving[0]}, {moving[1]}});
        if (case_.overlap) {
          for (const Subdomain& s : domain_.subdomains()) update(s, s.interior());
        }
        exchange.finish();
        for (const Subdomain& s : domain_.subdomains()) {
          if (!case_.overlap) update(s, s.update_box(0));
          for (const Box& box : s.boundary()) {
            if (case_.overlap) update(s, box);
          }
        }
      }
      for (const field_id field : moving) domain_.swap(field);
    }
    domain_.synchronize();
  }

  [[nodiscard]] std::int64_t wrong_cells(const Serial& expected) const {
    std::int64_t wrong = 0;
    for (const Subdomain& s : domain_.subdomains()) {
      for (std::size_t f = 0; f < field_count; ++f) {
        const auto view = s.view(fields_[f]);
        for_each_cell(s.owned(),
                      [&](const Vec3& p) { wrong += view(p) == expected[f][index_of(case_.extent, p)] ? 0 : 1; });
      }
    }
    return wrong;
  }

  void close() { domain_.close(); }

 private:
  [[nodiscard]] DomainOptions options() const {
    DomainOptions options;
    options.devices.per_rank = case_.devices;
    options.boundaries = case_.boundaries;
    options.steps_per_exchange = case_.steps_per_exchange;
    return options;
  }
  /// Fills the owned cells; halos get garbage.
  void fill() {
    for (const Subdomain& s : domain_.subdomains()) {
      for (std::size_t f = 0; f < field_count; ++f) {
        for (int ahead = 0; ahead < (f == c_index ? 1 : 2); ++ahead) {
          const auto view = s.view(fields_[f], ahead);
          for_each_cell(view.with_halo(), [&](const Vec3& p) {
            view(p) = s.owned().contains(p) && ahead == 0 ? initial(case_.extent, p, f) : 0xbad;
          });
        }
      }
    }
  }
  void update(const Subdomain& s, const Box& box) {
    if (box.empty()) return;
    std::array<View<Value>, field_count> from;
    for (std::size_t f = 0; f < field_count; ++f) from[f] = s.view(fields_[f]);
    for (const std::size_t f : {u_index, v_index}) {
      s.launch(box, [this, from, f, to = s.view(fields_[f], 1)](const Box& part) {
        for_each_cell(part, [&](const Vec3& p) {
          to(p) = next_value(case_, f, p, [&](std::size_t field, const Vec3& q) { return from[field](q); });
        });
      });
    }
  }

  const Case& case_;
  Domain domain_;
  std::array<Field<Value>, field_count> fields_;
};

TEST(StepsPerExchange, steps_between_exchanges_give_what_a_serial_program_gives) {
  for (std::uint64_t seed = 0; seed < test::some_of<std::uint64_t>(60); ++seed) {
    const Case c(seed, 1 + static_cast<int>(seed % 4));
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + c.text());
    const Serial expected = solve_serially(c);
    std::atomic<std::int64_t> wrong = 0;
    comm::run_as_threads(c.ranks, [&](comm::RankGroup& comm) {
      Program program(c, comm);
      program.run();
      wrong += program.wrong_cells(expected);
      program.close();
    });
    EXPECT_EQ(wrong, 0);
  }
}

TEST(StepsPerExchange, one_that_is_not_positive_is_refused) {
  DomainOptions options;
  options.steps_per_exchange = 0;
  Domain domain({8, 8, 8}, Stencil::box(1), options);
  domain.add_field<float>("u");
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { domain.realize(); }),
              HasSubstr("steps_per_exchange is 0; allowed is 1 or more"));
}

TEST(StepsPerExchange, one_that_does_not_fit_says_which_would) {
  DomainOptions options;
  options.devices.per_rank = 4;
  options.steps_per_exchange = 2'000'000'000;
  Domain domain({32, 10, 8}, Stencil::box(2), options);
  domain.add_field<float>("u");
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { domain.realize(); }),
              testing::AllOf(HasSubstr("steps_per_exchange is 2000000000; allowed for this domain are 1 to 4: "),
                             HasSubstr("32 x 10 x 8 with halos of width 4000000000")));
}

TEST(StepsPerExchange, what_does_not_fit_without_one_is_not_blamed_on_it) {
  DomainOptions options;
  options.devices.per_rank = 4;
  options.steps_per_exchange = 3;
  Domain domain({4, 4, 4}, Stencil::box(3), options);
  domain.add_field<float>("u");
  EXPECT_THAT(
      test::error_of<InvalidArgument>([&] { domain.realize(); }),
      testing::AllOf(HasSubstr("4 x 4 x 4 with halos of width 3"), testing::Not(HasSubstr("steps_per_exchange"))));
}

TEST(StepsPerExchange, ranks_that_differ_are_told) {
  std::vector<std::string> texts(3);
  comm::run_as_threads(3, [&](comm::RankGroup& comm) {
    DomainOptions options;
    options.steps_per_exchange = comm.rank() == rank_id(1) ? 3 : 2;
    Domain domain({32, 32, 32}, Stencil::box(1), comm, options);
    domain.add_field<float>("u");
    texts[comm.rank().index()] = test::error_of<InvalidArgument>([&] { domain.realize(); });
  });
  for (const auto& text : texts) EXPECT_THAT(text, HasSubstr("steps_per_exchange: rank 0 has 2, rank 1 has 3"));
}

TEST(StepsPerExchange, steps_that_an_exchange_does_not_serve_are_refused) {
  DomainOptions options;
  options.steps_per_exchange = 2;
  Domain domain({8, 8, 8}, Stencil::box(1), options);
  domain.add_field<float>("u");
  domain.plan();
  const Subdomain& s = domain.subdomains()[0];
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { s.fill_open_boundaries(0); }),
              HasSubstr("fill_open_boundaries() before realize()"));
  domain.realize();
  EXPECT_EQ(s.update_box(0), s.owned().grown({1, 1, 1}, {1, 1, 1}));
  EXPECT_EQ(s.update_box(1), s.owned());
  for (const int step : {-1, 2}) {
    const std::string wanted = "step is " + std::to_string(step) + "; allowed are 0 to 1";
    EXPECT_THAT(test::error_of<InvalidArgument>([&] { static_cast<void>(s.update_box(step)); }), HasSubstr(wanted));
    EXPECT_THAT(test::error_of<InvalidArgument>([&] { s.fill_open_boundaries(step); }), HasSubstr(wanted));
  }
  domain.close();
}

TEST(StepsPerExchange, in_place_the_interior_leaves_out_all_that_is_sent) {
  for (const auto update : {overlap::Update::double_buffered, overlap::Update::in_place}) {
    DomainOptions options;
    options.update = update;
    options.steps_per_exchange = 3;
    options.boundaries[1] = Boundary::open;
    Domain domain({12, 12, 12}, Stencil::box(1), options);
    domain.add_field<float>("u");
    domain.realize();
    const Subdomain& s = domain.subdomains()[0];
    const Vec3 shell = Vec3::filled(update == overlap::Update::in_place ? 3 : 1);
    EXPECT_EQ(s.interior(), (Box{shell, s.owned().hi - shell}));
    std::int64_t cells = s.interior().volume();
    for (const Box& box : s.boundary()) cells += box.volume();
    EXPECT_EQ(cells, std::int64_t{16} * 12 * 16) << "in y there is nothing beyond the ends";
    domain.close();
  }
}

TEST(StepsPerExchange, own_arrays_need_wider_halos) {
  DomainOptions options;
  options.steps_per_exchange = 3;
  Domain domain({8, 8, 8}, Stencil::box(1), options);
  const auto u = domain.add_field<float>("u");
  domain.plan();
  std::vector<float> memory(1000);
  EXPECT_THAT(test::error_of<InvalidArgument>([&] {
                domain.use_array(u.id, subdomain_id(0), 0,
                                 UserArray{memory.data(), {10, 10, 10}, {4, 40, 400}, {1, 1, 1}, {1, 1, 1}});
              }),
              HasSubstr("allowed are the halo for 3 steps (steps_per_exchange), 3 and 3, or more"));
}

TEST(StepsPerExchange, is_explained_with_what_it_costs) {
  DomainOptions options;
  options.devices.per_rank = 2;
  options.steps_per_exchange = 3;
  Domain domain({16, 16, 16}, Stencil::star(1), options);
  domain.add_field<float>("u");
  domain.realize();
  EXPECT_THAT(domain.explain(), testing::AllOf(HasSubstr("radius 1, no edges, no corners"),
                                               HasSubstr("steps per exchange 3: halos of 3 serve 3 steps"),
                                               HasSubstr("a step, as one exchange serves 3: 1.3 messages")));
  domain.close();
}

}  // namespace
}  // namespace halocline
