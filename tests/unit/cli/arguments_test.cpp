#include "arguments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halocline/core/error.hpp"
#include "support/error_of.hpp"

namespace {

using namespace cli;
using halocline::Environment;
using halocline::InvalidArgument;
using testing::HasSubstr;

Arguments parse(std::vector<const char*> words, const Environment& environment = {}, int ranks = 1) {
  words.insert(words.begin(), "halocline");
  return parse_arguments(static_cast<int>(words.size()), words.data(), environment, ranks);
}

std::string refusal(std::vector<const char*> words, int ranks = 1) {
  return halocline::test::error_of<InvalidArgument>([&] { static_cast<void>(parse(std::move(words), {}, ranks)); });
}

TEST(Arguments, FlagsAreAlikeForAllPlanningCommands) {
  for (const char* command : {"machine", "partition", "place", "route", "explain"}) {
    const auto a = parse({command,       "--size",
                          "9",           "8",
                          "7",           "--radius",
                          "2",           "--fields",
                          "4xf32",       "--nodes",
                          "2",           "--devices-per-node",
                          "6",           "--ranks-per-node",
                          "3",           "--partition",
                          "bisection",   "--place",
                          "random",      "--seed",
                          "5",           "--open",
                          "x,z",         "--no-corners",
                          "--timeout",   "7",
                          "--sm-budget", "16",
                          "--json"});
    ASSERT_TRUE(a.command) << command;
    EXPECT_EQ(a.options.size, (halocline::Vec3{9, 8, 7}));
    EXPECT_EQ(a.options.radius, halocline::Radius::uniform(2).without_corners());
    EXPECT_EQ(a.options.fields.size(), 4u);
    EXPECT_EQ(*a.options.nodes, 2);
    EXPECT_EQ(*a.options.devices_per_node, 6);
    EXPECT_EQ(*a.options.ranks_per_node, 3);
    EXPECT_EQ(*a.options.partition, halocline::partition::Method::bisection);
    EXPECT_EQ(a.options.placement.method, halocline::placement::Method::random);
    EXPECT_EQ(a.options.placement.seed, 5u);
    EXPECT_EQ(a.options.timeout, std::chrono::seconds(7));
    EXPECT_EQ(a.options.sm_budget, 16);
    EXPECT_TRUE(a.options.json);
    EXPECT_TRUE(a.options.elsewhere());
  }
}

TEST(Arguments, DevicesAreSharedByRanks) {
  EXPECT_EQ(parse({"exchange", "--devices", "8"}, {}, 1).options.devices_per_rank, 8);
  EXPECT_EQ(parse({"exchange", "--devices", "8"}, {}, 4).options.devices_per_rank, 2);
  EXPECT_THAT(refusal({"exchange", "--devices", "8"}, 3), HasSubstr("--devices is '8'; allowed is a multiple of"));
}

TEST(Arguments, TheBackendIsOneOfTwoOrLeftOpen) {
  using halocline::device::BackendKind;
  EXPECT_EQ(parse({"exchange", "--backend", "host"}).options.backend_kind, BackendKind::host);
  EXPECT_EQ(parse({"run", "jacobi3d", "--backend", "cuda"}).options.backend_kind, BackendKind::cuda);
  EXPECT_FALSE(parse({"machine", "--backend", "auto"}).options.backend_kind);
  EXPECT_FALSE(parse({"machine"}).options.backend_kind);
  EXPECT_FALSE(parse({"machine"}).options.devices_per_rank) << "host devices and GPUs have different defaults";
  EXPECT_EQ(refusal({"exchange", "--backend", "gpu"}), "--backend is 'gpu'; allowed is one of auto, host, cuda");
  EXPECT_THAT(refusal({"route", "--nodes", "2", "--backend", "cuda"}), HasSubstr("--backend is 'cuda'; allowed is"));
}

TEST(Arguments, TheEnvironmentCountsWhereNoFlagIsGiven) {
  Environment environment;
  environment.devices_per_rank = 3;
  environment.ranks_per_node = 2;
  environment.transports = "mpi_staged";
  environment.timeout = std::chrono::seconds(9);
  const auto a = parse({"exchange"}, environment).options;
  EXPECT_EQ(a.devices_per_rank, 3);
  EXPECT_EQ(a.ranks_per_node, 2);
  EXPECT_EQ(a.transports, "mpi_staged");
  EXPECT_EQ(a.timeout, std::chrono::seconds(9));
  const auto b = parse({"exchange", "--devices-per-rank", "1", "--ranks-per-node", "4", "--transports", "direct",
                        "--timeout", "1"},
                       environment)
                     .options;
  EXPECT_EQ(b.devices_per_rank, 1);
  EXPECT_EQ(b.ranks_per_node, 4);
  EXPECT_EQ(b.transports, "direct");
  EXPECT_EQ(b.timeout, std::chrono::seconds(1));
  // Virtual nodes are of the machine at hand, not of one that is described.
  EXPECT_FALSE(parse({"route", "--nodes", "2"}, environment).options.ranks_per_node);
}

TEST(Arguments, AGridImpliesGiven) {
  EXPECT_EQ(parse({"partition", "--node-grid", "1", "1", "2"}).options.partition, halocline::partition::Method::given);
  EXPECT_THAT(refusal({"partition", "--node-grid", "2", "--partition", "exact"}), HasSubstr("--partition is 'exact'"));
  EXPECT_THAT(refusal({"partition", "--partition", "given"}), HasSubstr("--node-grid"));
}

TEST(Arguments, WordsThatContradictAreRefused) {
  EXPECT_THAT(refusal({"exchange", "--devices", "2", "--devices-per-rank", "2"}), HasSubstr("not both"));
  EXPECT_THAT(refusal({"machine", "--devices-per-node", "2", "--machine", "m.json"}), HasSubstr("not both"));
  EXPECT_THAT(refusal({"machine", "--nodes", "2", "--devices", "2"}), HasSubstr("--devices is '2'"));
}

TEST(Arguments, UnknownWordsAreNamedWithWhatIsAllowed) {
  EXPECT_EQ(refusal({"frob"}),
            "the command of 'halocline' is 'frob'; allowed is machine, partition, place, route, "
            "exchange, explain, run, bench, profile, simulate, map, plot");
  EXPECT_THAT(refusal({"run", "heat"}), HasSubstr("'heat'; allowed is jacobi3d"));
  EXPECT_THAT(refusal({"run", "jacobi3d", "--radius", "3"}),
              HasSubstr("'--radius' is not an option of 'halocline run jacobi3d'; allowed is"));
  EXPECT_THAT(refusal({"exchange", "--size"}), HasSubstr("--size is given without a value"));
  EXPECT_THAT(refusal({"exchange", "--json=yes"}), HasSubstr("--json is given with a value"));
}

TEST(Arguments, HelpAndVersionAreTexts) {
  const auto help = parse({"run", "jacobi3d", "--help"});
  EXPECT_FALSE(help.command);
  EXPECT_THAT(help.text, HasSubstr("--residual-every"));
  EXPECT_THAT(parse({"--version"}).text, testing::StartsWith("halocline "));
  EXPECT_THAT(parse({"--help-environment"}).text, HasSubstr("HALOCLINE_RANKS_PER_NODE"));
  EXPECT_THAT(parse({"--help"}).text, HasSubstr("machine"));
}

}  // namespace
