// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "comm/local_ranks.hpp"
#include "device/host.hpp"
#include "domain/internals.hpp"
#include "domain/tuned_options.hpp"
#include "halocline/halocline.hpp"
#include "io/tuning_cache.hpp"
#include "io/update_file.hpp"
#include "io/write_file.hpp"
#include "machine/synthetic.hpp"
#include "support/error_of.hpp"
#include "support/temporary_folder.hpp"
#include "support/warnings.hpp"

namespace halocline {
namespace {

using test::error_of;
using test::Warnings;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;

class Tune : public testing::Test {
 protected:
  [[nodiscard]] std::string file() const { return folder_.at("tune.json"); }
  [[nodiscard]] std::string content() const {
    return io::content_if_there("f", file(), io::most_cache_bytes).value_or("");
  }
  [[nodiscard]] io::TuningCache cache() const { return io::tuning_cache_from(content(), file()); }

  test::TemporaryFolder folder_;
};

struct TuneCase {
  int ranks = 2;
  Vec3 extent{16, 12, 8};
  bool again = false;
  DomainOptions options{};
  Duration budget = 200ms;
};

/// What explain() has, by rank.
std::vector<std::string> tuned_domains(const TuneCase& c, const std::string& file) {
  std::vector<std::string> texts(static_cast<std::size_t>(c.ranks));
  comm::run_as_threads(c.ranks, [&](comm::RankGroup& comm) {
    DomainOptions options = c.options;
    options.devices.kind = DeviceKind::host;
    Domain domain(c.extent, Stencil::box(1), comm, options);
    domain.add_field<float>("u");
    domain.tune(file, c.budget, c.again);
    domain.realize();
    domain.exchange();
    domain.synchronize();
    const std::string text = domain.explain();
    texts[comm.rank().index()] = text.substr(std::min(text.find("tuned: "), text.size()));
    domain.close();
  });
  return texts;
}

/// The file with one entry changed.
void change_entry(const std::string& file, const std::function<void(io::TunedEntry&)>& change) {
  io::update_file("f", file, io::most_cache_bytes, 1s, [&](const auto& before) {
    io::TuningCache cache = io::tuning_cache_from(*before, file);
    change(cache.entries.at(0));
    return io::text_of(cache);
  });
}

TEST_F(Tune, TrialsAreKeptAndFoundByTheNextJob) {
  const Warnings warnings;
  const auto first = tuned_domains({.budget = 5s}, file());  // enough for a trial on a busy machine
  EXPECT_THAT(first[0], HasSubstr("by trials of"));
  EXPECT_EQ(first[0], first[1]);
  const io::TuningCache kept = cache();
  ASSERT_EQ(kept.entries.size(), 1U);
  EXPECT_FALSE(kept.entries[0].trials.empty());
  EXPECT_FALSE(kept.entries[0].ceilings.empty());
  EXPECT_TRUE(kept.entries[0].predicted.has_value());
  EXPECT_THAT(tuned_domains({}, file())[0], HasSubstr("from '" + file() + "'"));
  EXPECT_EQ(cache(), kept);
  EXPECT_THAT(warnings.all(), IsEmpty());
}

TEST_F(Tune, AWinnerOfTheFileIsUsedOnAllRanks) {
  static_cast<void>(tuned_domains({}, file()));
  change_entry(file(), [](io::TunedEntry& entry) { entry.winner = {{"first-transport", "mpi_staged"}}; });
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    DomainOptions options;
    options.devices.kind = DeviceKind::host;
    Domain domain({16, 12, 8}, Stencil::box(1), comm, options);
    domain.add_field<float>("u");
    domain.tune(file(), 200ms);
    domain.realize();
    for (const RoutedMessage& message : internals(domain).gather_routes()) {
      if (message.route.from != message.route.to) {
        EXPECT_EQ(message.route.transport, routing::Transport::mpi_staged);
      }
    }
    EXPECT_THAT(domain.explain(), HasSubstr("tuned: first-transport=mpi_staged"));
    ASSERT_NE(internals(domain).tuned(), nullptr);
    domain.close();
  });
}

TEST_F(Tune, AgainTriesAgain) {
  static_cast<void>(tuned_domains({}, file()));
  change_entry(file(), [](io::TunedEntry& entry) { entry.spent = 1e6; });
  EXPECT_THAT(tuned_domains({.again = true}, file())[0], HasSubstr("by trials of"));
  EXPECT_LT(cache().entries.at(0).spent, 1e6);
}

TEST_F(Tune, OtherDomainsAndJobsOfAnotherSizeHaveChoicesOfTheirOwn) {
  const Warnings warnings;
  static_cast<void>(tuned_domains({}, file()));
  static_cast<void>(tuned_domains({.extent = {12, 12, 12}}, file()));
  static_cast<void>(tuned_domains({.ranks = 1}, file()));
  DomainOptions staged;
  staged.routing.policy = routing::Policy::parse("mpi_staged");
  static_cast<void>(tuned_domains({.options = staged}, file()));
  EXPECT_EQ(cache().entries.size(), 4U);
  EXPECT_THAT(warnings.all(), IsEmpty());
}

TEST_F(Tune, NoNameOfAHostIsKept) {
  machine::MachineMap map = machine::synthetic({.devices_per_node = 2, .ranks_per_node = 2});
  map.name = "secret-cluster";
  map.nodes[0].name = "secret-host";
  map.sources = {"secret-source"};
  DomainOptions options;
  options.machine.map = map;
  static_cast<void>(tuned_domains({.options = options}, file()));
  EXPECT_THAT(content(), testing::Not(HasSubstr("secret")));
  map.nodes[0].name = "another";
  map.name = "other";
  options.machine.map = map;
  EXPECT_THAT(tuned_domains({.options = options}, file())[0], HasSubstr("from '"));
}

TEST_F(Tune, AChoiceOfAnotherMachineIsOneWarning) {
  static_cast<void>(tuned_domains({}, file()));
  change_entry(file(), [](io::TunedEntry& entry) { entry.key.machine = {"0", "a foreign one"}; });
  const Warnings warnings;
  EXPECT_THAT(tuned_domains({}, file())[0], HasSubstr("by trials of"));
  EXPECT_THAT(warnings.all(), testing::ElementsAre(HasSubstr("is of another machine (a foreign one); trials decide")));
  EXPECT_EQ(cache().entries.size(), 2U);  // the other's stays
}

TEST_F(Tune, AChoiceOfOtherSoftwareIsOneWarning) {
  static_cast<void>(tuned_domains({}, file()));
  change_entry(file(), [](io::TunedEntry& entry) { entry.key.stack = {"0", "version 0"}; });
  const Warnings warnings;
  EXPECT_THAT(tuned_domains({}, file())[0], HasSubstr("by trials of"));
  EXPECT_THAT(warnings.all(), testing::ElementsAre(HasSubstr("was made with other software (version 0; here ")));
}

TEST_F(Tune, ADamagedFileIsOneWarningAndIsReplaced) {
  static_cast<void>(tuned_domains({}, file()));
  const std::string whole = content();
  for (const std::string& damaged : {whole.substr(0, whole.size() / 2), std::string("garbage"), std::string(),
                                     whole.substr(0, 100) + "0" + whole.substr(101)}) {
    io::write_file("f", file(), damaged);
    const Warnings warnings;
    EXPECT_THAT(tuned_domains({}, file())[0], HasSubstr("by trials of"));
    EXPECT_THAT(warnings.all(), testing::ElementsAre(HasSubstr("tuning cache '" + file() + "'")));
    EXPECT_EQ(cache().entries.size(), 1U);
  }
}

TEST_F(Tune, ASettingThatIsNotKnownIsOneWarning) {
  static_cast<void>(tuned_domains({}, file()));
  change_entry(file(), [](io::TunedEntry& entry) { entry.winner = {{"telepathy", "on"}}; });
  const Warnings warnings;
  EXPECT_THAT(tuned_domains({}, file())[0], HasSubstr("by trials of"));
  EXPECT_THAT(warnings.all(), testing::ElementsAre(HasSubstr("setting telepathy is 'on'")));
}

TEST_F(Tune, AFileThatCannotBeWrittenIsRefusedBeforeTrials) {
  const std::string there = folder_.at("none/tune.json");
  EXPECT_THAT(error_of<InvalidArgument>([&] { return tuned_domains({}, there); }),
              HasSubstr("tuning cache is '" + there));
}

TEST_F(Tune, WithoutAFileTrialsAreUsedAndForgotten) {
  EXPECT_THAT(tuned_domains({}, "")[0], HasSubstr("tuned: "));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(Tune, RanksThatDifferAreRefused) {
  EXPECT_THAT(error_of<InvalidArgument>([&] {
                comm::run_as_threads(2, [&](comm::RankGroup& comm) {
                  Domain domain({16, 12, 8}, Stencil::box(1), comm, {});
                  domain.add_field<float>("u");
                  domain.tune(comm.rank() == rank_id(0) ? file() : "", 200ms);
                });
                return 0;
              }),
              HasSubstr("file of tune()"));
}

TEST_F(Tune, IsBeforePlanAndHasABudget) {
  Domain domain({8, 8, 8}, Stencil::box(1));
  domain.add_field<float>("u");
  EXPECT_THAT(error_of<InvalidArgument>([&] {
                domain.tune(file(), 0s);
                return 0;
              }),
              HasSubstr("budget of tune() is 0 s; allowed is more than 0"));
  Domain late({8, 8, 8}, Stencil::box(1));
  late.add_field<float>("u");
  late.realize();
  EXPECT_THAT(error_of<InvalidArgument>([&] {
                late.tune(file());
                return 0;
              }),
              HasSubstr("tune() after plan() or realize(); allowed is before"));
  late.close();
}

TEST_F(Tune, DomainsOfOwnBoxesKeepThem) {
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    const std::int64_t begin = 8 * comm.rank().value();
    Domain domain(OwnedBoxes{{Box{{begin, 0, 0}, {begin + 8, 8, 8}}}}, Stencil::box(1), comm,
                  {.devices = {.kind = DeviceKind::host}});
    domain.add_field<double>("u");
    domain.tune(file(), 200ms);
    domain.realize();
    EXPECT_EQ(domain.subdomains()[0].owned().lo.x, begin);
    domain.close();
  });
  EXPECT_THAT(content(), HasSubstr("the options give the grid, cuts, weights or owners"));
}

TEST_F(Tune, DomainsCutByMeasuredSpeedsKeepTheirCuts) {
  DomainOptions options;
  options.partition.measure_weights = true;
  static_cast<void>(tuned_domains({.options = options}, file()));
  EXPECT_THAT(content(), HasSubstr("the options give the grid, cuts, weights or owners"));
  EXPECT_THAT(content(), testing::Not(HasSubstr("device-grid")));
}

/// Whether ranks can map each other's memory is known after a trial's set-up only.
TEST_F(Tune, ATransportThatCarriesNothingIsLeftOutByName) {
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    DomainOptions options;
    options.devices.existing.emplace(
        device::make_host_backend({.devices = 1, .mapping = [](int, const std::string&) { return false; }}));
    Domain domain({16, 12, 8}, Stencil::box(1), comm, options);
    domain.add_field<float>("u");
    domain.tune(file(), 5s);
    domain.realize();
    domain.close();
  });
  EXPECT_THAT(content(), HasSubstr(R"(["first-transport=ipc_copy", "rank 0: no message can go by ipc_copy"])"));
}

TEST(TunedOptions, SettingsBecomeOptions) {
  const DomainOptions options = with_settings({}, {{"first-transport", "mpi_staged"},
                                                   {"messages", "by_node"},
                                                   {"node-grid", "2,1,1"},
                                                   {"device-grid", "1,3,1"},
                                                   {"pack-short-rows-from-bytes", "0"},
                                                   {"staging-chunk-bytes", "5"},
                                                   {"zero-copy-at-most-bytes", "6"},
                                                   {"packets-at-most-bytes", "7"}});
  EXPECT_EQ(options.routing.policy.text(), "self,mpi_staged,direct,peer_copy,ipc_copy,mpi_device");
  EXPECT_FALSE(options.routing.policy.use_measurements);
  EXPECT_EQ(options.routing.messages, routing::Messages::by_node);
  EXPECT_EQ(options.partition.method, partition::Method::given);
  EXPECT_EQ(options.partition.node_grid, (Vec3{2, 1, 1}));
  EXPECT_EQ(options.partition.device_grid, (Vec3{1, 3, 1}));
  EXPECT_EQ(options.tuning.pack_short_rows_from_bytes, 0);
  EXPECT_EQ(options.tuning.staging_chunk_bytes, 5);
  EXPECT_EQ(options.tuning.zero_copy_at_most_bytes, 6);
  EXPECT_EQ(options.tuning.packets_at_most_bytes, 7);
}

TEST(TunedOptions, BadSettingsAreRefusedByName) {
  for (const io::Settings& bad : std::vector<io::Settings>{{{"messages", "by_post"}},
                                                           {{"first-transport", "pigeon"}},
                                                           {{"node-grid", "2,1"}},
                                                           {{"node-grid", "2,1,x"}},
                                                           {{"staging-chunk-bytes", "-1"}},
                                                           {{"staging-chunk-bytes", "1 MiB"}},
                                                           {{"telepathy", "on"}}}) {
    EXPECT_THAT(error_of<InvalidArgument>([&] { return with_settings({}, bad); }),
                HasSubstr("setting " + bad.begin()->first));
  }
}

}  // namespace
}  // namespace halocline
