// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halocline/error.hpp"
#include "support/error_of.hpp"

namespace {

using namespace cli;
using halocline::Environment;
using halocline::InvalidArgument;
using testing::AllOf;
using testing::HasSubstr;
using testing::Lt;
using testing::SizeIs;

Arguments parse(std::vector<const char*> words, const Environment& environment = {}, int ranks = 1) {
  words.insert(words.begin(), "halocline");
  return parse_arguments(static_cast<int>(words.size()), words.data(), environment, ranks);
}

std::string refusal(std::vector<const char*> words, int ranks = 1) {
  return halocline::test::error_of<InvalidArgument>([&] { static_cast<void>(parse(std::move(words), {}, ranks)); });
}

const std::vector<const char*> machine_words{
    "--nodes", "2", "--devices-per-node", "6", "--ranks-per-node", "3", "--timeout", "7", "--json"};
const std::vector<const char*> partition_words{"--size",   "9",     "8",      "7",   "--radius",     "2",
                                               "--fields", "4xf32", "--open", "x,z", "--no-corners", "--partition",
                                               "bisection"};
const std::vector<const char*> place_words{"--place", "random", "--seed", "5"};
const std::vector<const char*> route_words{"--transports", "mpi_staged", "--messages", "by-direction", "--device-mpi"};

TEST(Arguments, ACommandTakesTheOptionsOfTheStagesBeforeIt) {
  std::vector<const char*> words;
  const auto add = [&words](const std::vector<const char*>& more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  const auto options_of = [&words](const char* command) {
    std::vector<const char*> line{command};
    line.insert(line.end(), words.begin(), words.end());
    const auto a = parse(line);
    EXPECT_TRUE(a.command) << command;
    EXPECT_TRUE(a.options.elsewhere());
    EXPECT_TRUE(a.options.json);
    EXPECT_EQ(a.options.timeout, std::chrono::seconds(7));
    EXPECT_EQ(*a.options.nodes, 2);
    EXPECT_EQ(*a.options.devices_per_node, 6);
    EXPECT_EQ(*a.options.ranks_per_node, 3);
    return a.options;
  };
  add(machine_words);
  static_cast<void>(options_of("machine"));
  add(partition_words);
  EXPECT_EQ(options_of("partition").size, (halocline::Vec3{9, 8, 7}));
  EXPECT_EQ(options_of("partition").stencil, halocline::Stencil::box(2).without_corners());
  EXPECT_EQ(options_of("partition").fields.size(), 4u);
  EXPECT_EQ(*options_of("partition").partition, halocline::partition::Method::bisection);
  add(place_words);
  EXPECT_EQ(options_of("place").placement.method, halocline::placement::Method::random);
  EXPECT_EQ(options_of("place").placement.seed, 5u);
  add(route_words);
  for (const char* command : {"route", "explain", "simulate"}) {
    EXPECT_EQ(options_of(command).size, (halocline::Vec3{9, 8, 7}));
    EXPECT_EQ(options_of(command).placement.seed, 5u);
    EXPECT_EQ(options_of(command).transports, "mpi_staged");
    EXPECT_EQ(options_of(command).messages, halocline::exchange::Messages::by_direction);
    EXPECT_TRUE(options_of(command).device_mpi);
  }
}

TEST(Arguments, OptionsThatDoNothingForACommandAreUnknownToIt) {
  for (const auto& [command, option] : std::vector<std::pair<const char*, const char*>>{{"machine", "--size"},
                                                                                        {"machine", "--partition"},
                                                                                        {"partition", "--place"},
                                                                                        {"place", "--messages"},
                                                                                        {"route", "--sm-budget"},
                                                                                        {"explain", "--launch-threads"},
                                                                                        {"exchange", "--nodes"}}) {
    EXPECT_THAT(refusal({command, option, "1"}), testing::StartsWith(std::string("unknown option '") + option));
  }
  EXPECT_EQ(parse({"exchange", "--sm-budget", "16"}).options.sm_budget, 16);
  EXPECT_EQ(parse({"exchange", "--domains-at-once", "1"}).options.domains_at_once, 1);
  EXPECT_EQ(parse({"exchange"}).options.domains_at_once, std::nullopt);
}

TEST(Arguments, DevicesAreSharedByRanks) {
  EXPECT_EQ(parse({"exchange", "--devices", "8"}, {}, 1).options.devices_per_rank, 8);
  EXPECT_EQ(parse({"exchange", "--devices", "8"}, {}, 4).options.devices_per_rank, 2);
  EXPECT_THAT(refusal({"exchange", "--devices", "8"}, 3), HasSubstr("--devices is '8'; allowed is a multiple of"));
}

TEST(Arguments, TheBackendIsOneOfTwoOrLeftOpen) {
  using halocline::DeviceKind;
  EXPECT_EQ(parse({"exchange", "--backend", "host"}).options.backend_kind, halocline::DeviceKind::host);
  EXPECT_EQ(parse({"run", "jacobi3d", "--backend", "cuda"}).options.backend_kind, halocline::DeviceKind::cuda);
  EXPECT_FALSE(parse({"machine", "--backend", "auto"}).options.backend_kind);
  EXPECT_FALSE(parse({"machine"}).options.backend_kind);
  EXPECT_FALSE(parse({"machine"}).options.devices_per_rank) << "host devices and GPUs have different defaults";
  EXPECT_EQ(refusal({"exchange", "--backend", "gpu"}), "--backend is 'gpu'; allowed is one of auto, host, cuda");
  EXPECT_THAT(refusal({"route", "--nodes", "2", "--backend", "cuda"}),
              HasSubstr("--backend cannot be used with --nodes"));
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
  // Virtual nodes divide the machine at hand, not a described machine.
  EXPECT_FALSE(parse({"route", "--nodes", "2"}, environment).options.ranks_per_node);
}

TEST(Arguments, AGridImpliesGiven) {
  EXPECT_EQ(parse({"partition", "--node-grid", "1", "1", "2"}).options.partition, halocline::partition::Method::given);
  EXPECT_THAT(refusal({"partition", "--node-grid", "2", "--partition", "exact"}),
              HasSubstr("--partition exact cannot be used with"));
  EXPECT_THAT(refusal({"partition", "--partition", "given"}), HasSubstr("--node-grid"));
}

TEST(Arguments, WordsThatContradictAreRefused) {
  EXPECT_THAT(refusal({"exchange", "--devices", "2", "--devices-per-rank", "2"}),
              HasSubstr("--devices cannot be used with --devices-per-rank"));
  EXPECT_THAT(refusal({"machine", "--devices-per-node", "2", "--machine", "m.json"}),
              HasSubstr("--devices-per-node cannot be used with --machine"));
  EXPECT_THAT(refusal({"machine", "--nodes", "2", "--devices", "2"}),
              HasSubstr("--devices cannot be used with --nodes"));
  EXPECT_EQ(refusal({"place", "--seed", "5"}), "--seed requires --place random");
}

TEST(Arguments, TheNearestNameIsSuggestedForAnUnknownWord) {
  EXPECT_EQ(refusal({"run", "mhd", "--stpes=5"}),
            "unknown option '--stpes'; did you mean '--steps'? (see 'halocline run mhd --help')");
  EXPECT_EQ(refusal({"run", "jacobi3d", "--radius", "3"}),
            "unknown option '--radius' of 'halocline run jacobi3d'; see 'halocline run jacobi3d --help'");
  const std::string long_word = std::string(30000, '-') + "stpes";
  EXPECT_THAT(refusal({"run", "mhd", long_word.c_str()}),
              AllOf(HasSubstr("bytes left out"), HasSubstr("stpes'; did you mean '--steps'?"), SizeIs(Lt(400U))));
  EXPECT_EQ(refusal({"exchagne"}), "unknown command 'exchagne'; did you mean 'exchange'? (see 'halocline --help')");
  EXPECT_EQ(refusal({"run", "jacobi"}),
            "unknown command 'jacobi'; did you mean 'jacobi3d'? (see 'halocline run --help')");
  EXPECT_EQ(refusal({"run", "heat"}), "unknown command 'heat' of 'halocline run'; allowed is jacobi3d, laplace3d, mhd");
  EXPECT_THAT(refusal({"frob"}), HasSubstr("of 'halocline'; allowed is machine, partition, place, route, exchange"));
  EXPECT_EQ(refusal({"run"}), "'halocline run' requires a command; allowed is jacobi3d, laplace3d, mhd");
  EXPECT_EQ(refusal({"run", "jacobi3d", "more"}),
            "'more' is one word too many for 'halocline run jacobi3d'; see 'halocline run jacobi3d --help'");
}

TEST(Arguments, AnOptionHasItsNumberOfValues) {
  EXPECT_THAT(refusal({"exchange", "--size"}),
              HasSubstr("--size is given without a value; allowed is '--size X Y Z', once: cells of the domain"));
  EXPECT_THAT(refusal({"exchange", "--json", "--seed="}), HasSubstr("--seed is given without a value"));
  EXPECT_THAT(refusal({"exchange", "--seed", "1", "--seed", "2", "--size", "3"}),
              HasSubstr("--seed is given with 2 values; allowed is '--seed N', once"));
  EXPECT_EQ(refusal({"exchange", "--json=yes"}), "--json is 'yes'; allowed is no value");
  EXPECT_EQ(refusal({"run", "jacobi3d", "--overlap=no"}), "--overlap is 'no'; allowed is no value");
  EXPECT_TRUE(parse({"exchange", "--json", "--json"}).options.json);
}

TEST(Arguments, HelpAndVersionAreTexts) {
  const auto help = parse({"run", "jacobi3d", "--help"});
  EXPECT_FALSE(help.command);
  EXPECT_THAT(help.text, HasSubstr("--residual-every"));
  EXPECT_THAT(parse({"--version"}).text, testing::StartsWith("halocline "));
  EXPECT_THAT(parse({"--help-environment"}).text, HasSubstr("HALOCLINE_RANKS_PER_NODE"));
  EXPECT_THAT(parse({"--help"}).text, HasSubstr("machine"));
  EXPECT_EQ(parse({}).text, parse({"--help"}).text);
  EXPECT_EQ(parse({"help"}).text, parse({"--help"}).text);
  EXPECT_EQ(parse({"help", "run", "jacobi3d"}).text, help.text);
  EXPECT_EQ(parse({"help", "help"}).text, parse({"help", "--help"}).text);
  EXPECT_EQ(refusal({"help", "exchagne"}),
            "unknown command 'exchagne'; did you mean 'exchange'? (see 'halocline --help')");
  EXPECT_THAT(refusal({"help", "run", "heat"}), HasSubstr("unknown command 'heat' of 'halocline run'; allowed is"));
}

}  // namespace
