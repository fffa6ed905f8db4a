// SPDX-License-Identifier: BSD-3-Clause
// Calls in the wrong order or with wrong arguments: each is one clear error, and the domain stays usable.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "comm/local_ranks.hpp"
#include "domain/internals.hpp"
#include "halocline/halocline.hpp"
#include "machine/machine_map.hpp"
#include "support/error_of.hpp"

namespace halocline {
namespace {

using testing::HasSubstr;
using testing::StrEq;

TEST(DomainMisuse, a_domain_needs_a_field) {
  Domain domain({8, 8, 8}, Stencil::box(1));
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { domain.realize(); }), HasSubstr("no fields"));
}

TEST(DomainMisuse, a_field_has_a_component_and_a_buffer) {
  Domain domain({8, 8, 8}, Stencil::box(1));
  const auto refusal = [&](const FieldDescriptor& field) {
    return test::error_of<InvalidArgument>([&] { return domain.add_field<float>("u", field); });
  };
  EXPECT_EQ(refusal({.components = 0}), "field 'u' has 0 components and 1 buffers; allowed are 1 or more of each");
  EXPECT_EQ(refusal({.buffers = -1}), "field 'u' has 1 components and -1 buffers; allowed are 1 or more of each");
  EXPECT_EQ(refusal({}), "(no error)") << "a refused field does not take the name";
}

TEST(DomainMisuse, a_timeout_is_above_zero_and_of_this_century) {
  for (const Duration refused : {Duration::max(), Duration(0)}) {
    DomainOptions options;
    options.timeout = refused;
    EXPECT_THAT(test::error_of<InvalidArgument>([&] {
                  return Domain({8, 8, 8}, Stencil::box(1), options);
                }),
                HasSubstr("allowed is above 0 and up to 1e9"));
  }
}

TEST(DomainMisuse, a_grid_is_taken_or_refused) {
  DomainOptions options;
  options.devices.per_rank = 4;
  options.partition.device_grid = {4, 1, 1};
  Domain domain({16, 16, 16}, Stencil::box(1), options);
  domain.add_field<float>("u");
  domain.realize();
  EXPECT_THAT(domain.explain(), HasSubstr("by given: node grid 1 x 1 x 1, device grid 4 x 1 x 1"));
  domain.close();
  options.partition.method = partition::Method::fastest;  // of the other level
  Domain searched({16, 16, 16}, Stencil::box(1), options);
  searched.add_field<float>("u");
  searched.realize();
  EXPECT_THAT(searched.explain(), HasSubstr("device grid 4 x 1 x 1"));
  searched.close();
  options.partition.method = partition::Method::exact;
  Domain refused({16, 16, 16}, Stencil::box(1), options);
  refused.add_field<float>("u");
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { refused.realize(); }),
              HasSubstr("option partition.device_grid is 4 x 1 x 1; allowed with method 'exact' is none"));
}

TEST(DomainMisuse, plan_waits_for_other_ranks_as_long_as_the_options_have_it) {
  const auto body = [](comm::RankGroup& comm) {
    DomainOptions options;
    options.timeout = std::chrono::milliseconds(100);
    Domain domain({8, 8, 8}, Stencil::box(1), comm.split(0, static_cast<int>(comm.rank().value())), options);
    domain.add_field<float>("u");
    if (comm.rank() == rank_id(0)) {
      EXPECT_THAT(test::error_of<DeadlineError>([&] { domain.plan(); }), HasSubstr("timeout 0.1 s"));
    }
    comm.barrier();
  };
  comm::run_as_threads(2, body, {.timeout = std::chrono::seconds(10)});
}

TEST(DomainMisuse, order_of_calls) {
  Domain domain({8, 8, 8}, Stencil::box(1));
  const auto u = domain.add_field<float>("u");
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { domain.add_field<float>("u"); }), HasSubstr("'u', which is taken"));
  FieldDescriptor directed{.name = "w", .components = 3, .component_directions = {Directions(1), Directions(2)}};
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { domain.add_field(directed); }),
              HasSubstr("field 'w' has component_directions for 2 components; allowed are its 3, or none"));
  FieldDescriptor narrowed{.name = "n", .element = Element::i32, .wire = Element::i16};
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { domain.add_field(narrowed); }),
              HasSubstr("wire of field 'n' is i16; allowed for elements i32 is none"));
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { domain.exchange(); }), HasSubstr("before realize()"));
  domain.realize();
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { domain.realize(); }), HasSubstr("allowed is once"));
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { domain.add_field<float>("v"); }), HasSubstr("allowed is before"));
  auto exchange = domain.start_exchange();
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { (void)domain.start_exchange(); }), HasSubstr("twice"));
  EXPECT_THAT(test::error_of<InvalidArgument>([&] {
                domain.use_tiles({1, 1, 1});
              }),
              HasSubstr("while an exchange is under way"));
  exchange.finish();
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { exchange.finish(); }), HasSubstr("was finished before"));
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { domain.use_tiles({1, 0, 1}); }), HasSubstr("a tile is 1 x 0 x 1"));
  domain.exchange();
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { domain.swap(u); }), HasSubstr("1 buffer"));
  EXPECT_THAT(
      test::error_of<InvalidArgument>([&] { static_cast<void>(domain.subdomains()[0].view(Field<double>{u.id})); }),
      HasSubstr("f32"));
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { (void)domain.start_exchange({{field_id(7)}}); }),
              HasSubstr("field is 7; allowed are 0 to 0"));
  EXPECT_THAT(test::error_of<InvalidArgument>([&] {
                (void)domain.start_exchange({{u.id}, {u.id}});
              }),
              StrEq("field 'u' is given twice; allowed is each field once"));
  domain.close();
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { domain.exchange(); }), HasSubstr("after close()"));
  domain.close();
}

TEST(DomainMisuse, a_field_of_one_buffer_is_not_written_beside_what_is_read) {
  Domain domain({8, 8, 8}, Stencil::box(1));
  const auto one = domain.add_field<float>("one");
  const auto two = domain.add_field<float>("two", {.buffers = 2});
  domain.realize();
  const Subdomain& s = domain.subdomains()[0];
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { static_cast<void>(s.view(one, 1)); }),
              HasSubstr("view of field 'one' is 1 swaps ahead; allowed are 0 to 0, as it has 1 buffer"));
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { static_cast<void>(s.view(two, -1)); }), HasSubstr("0 to 1"));
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { static_cast<void>(s.write(one)); }),
              HasSubstr("field 'one' has 1 buffer; allowed for write()"));
  EXPECT_EQ(s.read(two).data(), s.view(two).data());
  EXPECT_EQ(s.write(two).data(), s.view(two, 1).data());
  const float* const written = s.write(two).data();
  domain.swap(two);
  EXPECT_EQ(s.read(two).data(), written);
  domain.close();
}

TEST(DomainMisuse, updates_in_place_write_what_they_read) {
  DomainOptions options;
  options.update = overlap::Update::in_place;
  Domain domain({8, 8, 8}, Stencil::box(1), options);
  const auto u = domain.add_field<float>("u");
  domain.realize();
  const Subdomain& s = domain.subdomains()[0];
  EXPECT_EQ(s.write(u).data(), s.read(u).data());
  const DeviceGuard current(s);  // no effect on host devices
  EXPECT_EQ(cuda_stream(s.stream()), nullptr);
  domain.close();
}

TEST(DomainMisuse, own_arrays_for_some_subdomains_only) {
  DomainOptions options;
  options.devices.per_rank = 2;
  Domain domain({8, 8, 8}, Stencil::box(1), options);
  const auto u = domain.add_field<float>("u");
  domain.plan();
  ASSERT_EQ(domain.subdomains().size(), 2u);
  std::vector<float> memory(1000);
  domain.use_array(u.id, subdomain_id(1), 0, memory.data() + 111, {4, 40, 400});
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { domain.realize(); }),
              HasSubstr("field 'u' has an own array for subdomain 1, but not for subdomain 0; allowed are all of this "
                        "rank's subdomains or none"));
}

TEST(DomainMisuse, own_arrays_for_some_buffers_only) {
  Domain domain({8, 8, 8}, Stencil::box(1));
  const auto u = domain.add_field<float>("u", {.buffers = 2});
  std::vector<float> memory(1000);
  EXPECT_THAT(test::error_of<InvalidArgument>([&] {
                domain.use_array(u.id, subdomain_id(0), 0, memory.data(), {4, 40, 400});
              }),
              HasSubstr("between the two"));
  domain.plan();
  EXPECT_THAT(test::error_of<InvalidArgument>([&] {
                domain.use_array(u.id, subdomain_id(0), 2, memory.data(), {4, 40, 400});
              }),
              HasSubstr("allowed are 0 to 1"));
  EXPECT_THAT(test::error_of<InvalidArgument>([&] {
                domain.use_array(u.id, subdomain_id(5), 0, memory.data(), {4, 40, 400});
              }),
              HasSubstr("this rank's own"));
  UserArray array{memory.data(), {9, 10, 10}, {4, 40, 400}, {1, 1, 1}, {1, 1, 1}};
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { domain.use_array(u.id, subdomain_id(0), 0, array); }),
              HasSubstr("has 9 x 10 x 10 cells; allowed are its halos and the 8 x 8 x 8 owned cells, 10 x 10 x 10"));
  array.extent = {9, 10, 10};
  array.halo_above.x = 0;
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { domain.use_array(u.id, subdomain_id(0), 0, array); }),
              HasSubstr("halos of 1 and 0 cells in x; allowed are the radius, 1 and 1, or more"));
  array.extent = {10, 10, 10};
  array.halo_above.x = 1;
  domain.use_array(u.id, subdomain_id(0), 0, array);
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { domain.realize(); }), HasSubstr("not for buffer 1"));
}

TEST(DomainMisuse, what_is_too_small_says_what_would_fit) {
  DomainOptions options;
  options.devices.per_rank = 4;
  Domain domain({4, 4, 4}, Stencil::box(3), options);
  domain.add_field<float>("u");
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { domain.realize(); }),
              testing::AnyOf(HasSubstr("fit"), HasSubstr("allowed")));
}

TEST(DomainMisuse, a_negative_number_of_multiprocessors_is_refused) {
  DomainOptions options;
  options.tuning.multiprocessors = -3;
  Domain domain({8, 8, 8}, Stencil::box(1), options);
  domain.add_field<float>("u");
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { domain.realize(); }),
              HasSubstr("multiprocessors is -3; allowed is 0"));
}

TEST(DomainMisuse, forbidding_every_transport_names_them_all) {
  DomainOptions options;
  options.devices.per_rank = 2;
  options.routing.policy.order = {routing::Transport::ipc_copy};
  Domain domain({8, 8, 8}, Stencil::box(1), options);
  domain.add_field<float>("u");
  const auto text = test::error_of<CapabilityError>([&] { domain.realize(); });
  for (const auto transport : routing::all_transports) EXPECT_THAT(text, HasSubstr(std::string(to_string(transport))));
}

TEST(DomainMisuse, an_own_array_has_an_address) {
  Domain domain({8, 8, 8}, Stencil::box(1));
  const auto u = domain.add_field<float>("u");
  static_cast<void>(domain.plan());
  EXPECT_EQ(test::error_of<InvalidArgument>([&] {
              domain.use_array(u.id, domain.subdomains()[0].id(), 0, nullptr, {4, 40, 400});
            }),
            "array of field 'u' of subdomain 0 is null; allowed is the address of its first owned cell");
}

TEST(DomainMisuse, nothing_is_waited_for_while_steps_are_captured) {
  Domain domain({8, 8, 8}, Stencil::box(1), {.devices = {.kind = DeviceKind::host}});
  static_cast<void>(domain.add_field<float>("u"));
  domain.realize();
  auto capture = domain.capture();
  EXPECT_EQ(test::error_of<InvalidArgument>([&] { domain.synchronize(); }),
            "synchronize() while steps are being captured; allowed is after the capture's finish()");
  domain.exchange();
  Graph graph = capture.finish();
  Graph moved(std::move(graph));
  moved.launch();
  domain.synchronize();
  domain.close();
}

TEST(DomainMisuse, reductions_are_of_the_domain_and_each_runs_once) {
  Domain domain({8, 8, 8}, Stencil::box(1), {.devices = {.kind = DeviceKind::host}});
  const auto refusal = [](const auto& call) { return test::error_of<InvalidArgument>([&] { call(); }); };
  EXPECT_EQ(refusal([&] { (void)domain.add_reduction(field_id(0), Reduce::sum); }),
            "add_reduction() of a domain without fields; add_field() makes them");
  const auto u = domain.add_field<double>("u");
  const auto count = domain.add_field<int>("count");
  EXPECT_EQ(refusal([&] { (void)domain.add_reduction(count.id, Reduce::max); }),
            "field 'count' is of i32; allowed for a reduction are f32 and f64");
  const reduction_id sum = domain.add_reduction(u.id, Reduce::sum);
  domain.realize();
  EXPECT_EQ(refusal([&] { domain.reduce(reduction_id(-1)); }), "reduction is -1; allowed are 0 to 0");
  EXPECT_EQ(refusal([&] { domain.reduce(std::vector{sum, reduction_id(1)}); }), "reduction is 1; allowed are 0 to 0");
  domain.reduce(std::vector<reduction_id>{});
  EXPECT_EQ(refusal([&] { (void)domain.value(sum); }), "value() must be called after reduce()") << "of nothing";
  const Subdomain& s = domain.subdomains()[0];
  const auto cells = s.view(u);
  s.launch(cells.owned(), [cells](const Box& part) { for_each_cell(part, [&](const Vec3& p) { cells(p) = 0.5; }); });
  domain.reduce({sum, sum});
  EXPECT_EQ(domain.value(sum), 256);
  domain.close();
}

TEST(DomainMisuse, a_reduction_has_no_value_on_a_rank_without_subdomains) {
  comm::run_as_threads(2, [](comm::RankGroup& comm) {
    DomainOptions options;
    options.devices.kind = DeviceKind::host;
    Domain both({8, 8, 8}, Stencil::box(1), comm, options);
    both.add_field<double>("u");
    machine::MachineMap map = both.plan().machine.map();
    both.close();
    map.ranks[1].devices.clear();
    options.machine.map.emplace(map);
    Domain domain({8, 8, 8}, Stencil::box(1), comm, options);
    const auto u = domain.add_field<double>("u");
    const reduction_id sum = domain.add_reduction(u.id, Reduce::sum);
    domain.realize();
    domain.reduce(sum);
    const std::string refusal = test::error_of<InvalidArgument>([&] { (void)domain.value(sum); });
    EXPECT_EQ(refusal, comm.rank() == rank_id(0) ? "(no error)"
                                                 : "value() on a rank without subdomains; allowed are the others");
    domain.close();
  });
}

TEST(DomainMisuse, tuning_is_refused_by_the_name_of_its_option) {
  const auto refusal = [](const exchange::Tuning& tuning) {
    DomainOptions options;
    options.devices.kind = DeviceKind::host;
    options.tuning = tuning;
    Domain domain({8, 8, 8}, Stencil::box(1), options);
    static_cast<void>(domain.add_field<float>("u"));
    return test::error_of<InvalidArgument>([&] { domain.realize(); });
  };
  EXPECT_EQ(refusal({.staging_chunk_bytes = 0}), "rank 0: staging_chunk_bytes is 0; allowed is 1 or more");
  EXPECT_EQ(refusal({.packed_piece_bytes = 0}), "rank 0: packed_piece_bytes is 0; allowed is 1 or more");
  EXPECT_EQ(refusal({.packets_at_most_bytes = -1}),
            "rank 0: packets_at_most_bytes is -1; allowed is 0 (no packets) or more");
  EXPECT_EQ(refusal({.domains_at_once = 0}), "rank 0: domains_at_once is 0; allowed is 1 or more");
  EXPECT_EQ(
      refusal({.staging_chunk_bytes = 1, .packed_piece_bytes = 1, .packets_at_most_bytes = 0, .domains_at_once = 1}),
      "(no error)");
}

}  // namespace
}  // namespace halocline
