// SPDX-License-Identifier: BSD-3-Clause
// What a domain's recorder writes, and when: of one process with several devices. Jobs that hang: tests/mpi/planted_hangs.
#include "domain/detail/flight_recorder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <thread>

#include "core/folder.hpp"
#include "core/posix_file.hpp"
#include "domain/recorder_mark.hpp"
#include "halocline/halocline.hpp"
#include "io/recording_file.hpp"
#include "support/captured.hpp"
#include "support/error_of.hpp"
#include "support/temporary_folder.hpp"

namespace halocline {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class FlightRecorderOfDomain : public testing::Test {
 protected:
  ~FlightRecorderOfDomain() override { ::unsetenv("HALOCLINE_RECORD"); }

  /// Without HALOCLINE_RECORD if the folder is empty.
  static std::unique_ptr<Domain> make(const std::string& folder) {
    if (folder.empty()) {
      ::unsetenv("HALOCLINE_RECORD");
    } else {
      ::setenv("HALOCLINE_RECORD", folder.c_str(), 1);
    }
    DomainOptions options;
    options.devices.kind = DeviceKind::host;
    options.devices.per_rank = 2;
    options.routing.policy.order = {routing::Transport::self, routing::Transport::direct};
    auto domain = std::make_unique<Domain>(Vec3{8, 8, 8}, Stencil::box(1), options);
    domain->add_field<double>("u");
    domain->realize();
    return domain;
  }
  /// Returns when they are written.
  static void request_recordings() {
    auto recorder = RecorderOfProcess::of(::getpid());
    ASSERT_TRUE(recorder);
    EXPECT_TRUE(recorder->is_there());
    const std::uint64_t request = recorder->request();
    for (int tries = 0; tries < 1000 && !recorder->has_written(request); ++tries) std::this_thread::sleep_for(10ms);
    EXPECT_TRUE(recorder->has_written(request));
  }
  /// Without temporary ones.
  static std::vector<std::string> files(const std::string& folder) {
    auto names = names_in(folder);
    std::erase_if(names, [](const std::string& name) { return !io::recording_of_name(name); });
    return names;
  }
  /// The only file of a domain, once there is one that is `right`.
  static Recording wait_for(const std::string& folder, std::int64_t domain,
                            const std::function<bool(const Recording&)>& right) {
    Recording recording;
    for (int tries = 0; tries < 1000; ++tries) {
      for (const std::string& name : files(folder)) {
        const auto about = io::recording_of_name(name);
        if (!about || about->domain != domain) continue;
        recording = io::recording_from(read_file(folder + "/" + name), name);
        if (right(recording)) return recording;
      }
      std::this_thread::sleep_for(10ms);
    }
    ADD_FAILURE() << "no such recording in " << folder;
    return recording;
  }
  static std::int64_t domain_of(const std::string& folder) {
    return io::recording_of_name(files(folder).at(0)).value().domain;
  }

  const test::TemporaryFolder temporary;
  const std::string folder = temporary.at("made/here");
};

TEST_F(FlightRecorderOfDomain, WritesOnRequestWhatHostAndDevicesHaveDone) {
  const auto domain = make(folder);
  for (int step = 0; step < 3; ++step) domain->exchange();
  const Graph graph = test::captured(*domain, [&] { domain->exchange(); });
  for (int step = 0; step < 4; ++step) graph.launch();
  domain->synchronize();
  EXPECT_THAT(files(folder), IsEmpty());
  request_recordings();
  ASSERT_THAT(files(folder), SizeIs(1));
  const Recording recording = wait_for(folder, domain_of(folder), [](const Recording&) { return true; });
  EXPECT_EQ(recording.cause, RecordingCause::request);
  EXPECT_EQ(recording.rank, 0);
  EXPECT_EQ(recording.ranks, 1);
  EXPECT_EQ(recording.pid, ::getpid());
  ASSERT_THAT(recording.exchanges, SizeIs(1));
  const RecordedExchange& exchange = recording.exchanges[0];
  EXPECT_EQ(exchange.name, "exchange");
  EXPECT_EQ(exchange.epoch, 7u) << "replays are counted by the devices alone";
  EXPECT_EQ(exchange.unread, "");
  ASSERT_THAT(exchange.messages, SizeIs(4)) << "two messages between the subdomains, with two ends each";
  for (const RecordedMessage& message : exchange.messages) {
    EXPECT_EQ(message.reached, 7u) << message.from << " -> " << message.to << (message.sends ? " sends" : "");
    EXPECT_FALSE(message.by_host);
  }
  std::vector<EventKind> kinds;
  for (const RecordedEvent& event : recording.events) kinds.push_back(event.kind);
  const std::vector<EventKind> begin{EventKind::planning, EventKind::allocating, EventKind::connecting,
                                     EventKind::realized, EventKind::started,    EventKind::enqueued,
                                     EventKind::waiting,  EventKind::finished,   EventKind::started};
  ASSERT_GE(kinds.size(), begin.size());
  EXPECT_EQ(std::vector<EventKind>(kinds.begin(), kinds.begin() + std::ssize(begin)), begin);
  EXPECT_EQ(kinds.back(), EventKind::synchronized);
  domain->close();
}

TEST_F(FlightRecorderOfDomain, WritesWhenADomainIsLeft) {
  auto domain = make(folder);
  domain->exchange();
  domain->synchronize();
  domain.reset();
  ASSERT_THAT(files(folder), SizeIs(1));
  const Recording recording = wait_for(folder, domain_of(folder), [](const Recording&) { return true; });
  EXPECT_EQ(recording.error, "left without close()");
  EXPECT_EQ(recording.events.back().kind, EventKind::left);
  EXPECT_THAT(recording.exchanges[0].messages, SizeIs(4));
}

TEST_F(FlightRecorderOfDomain, WritesOnceWhenAnExchangeFails) {
  const auto domain = make(folder);
  for (const Subdomain& subdomain : domain->subdomains()) {
    subdomain.stream().host_function([] { throw ProtocolError("planted"); });
  }
  EXPECT_THAT(test::error_of<Error>([&] {
                domain->exchange();
                domain->synchronize();
                return 0;
              }),
              HasSubstr("planted"));
  ASSERT_THAT(files(folder), SizeIs(1));
  const Recording recording = wait_for(folder, domain_of(folder), [](const Recording&) { return true; });
  EXPECT_EQ(recording.cause, RecordingCause::error);
  EXPECT_EQ(recording.kind, ErrorKind::protocol);
  EXPECT_THAT(recording.error, HasSubstr("planted"));
  EXPECT_FALSE(recording.error_of_another);
}

TEST_F(FlightRecorderOfDomain, WritesNothingWithoutAFolderOrAnError) {
  auto domain = make({});
  domain->exchange();
  domain.reset();
  const auto closed = make(folder);
  closed->exchange();
  closed->close();
  EXPECT_THAT(files(folder), IsEmpty());
}

TEST_F(FlightRecorderOfDomain, HasAFileForEachDomain) {
  const auto first = make(folder);
  const auto second = make(folder);
  first->exchange();
  request_recordings();
  EXPECT_THAT(files(folder), SizeIs(2));
  first->close();
  second->close();
}

TEST_F(FlightRecorderOfDomain, RefusesAFolderThatCannotBeMade) {
  const std::string file = temporary.at("file");
  const Descriptor made(::open(file.c_str(), O_WRONLY | O_CREAT, 0600));
  EXPECT_THAT(
      test::error_of<InvalidArgument>([&] { return make(file + "/below"); }),
      HasSubstr("HALOCLINE_RECORD is '" + file + "/below'; allowed is a folder that recordings can be written to"));
}

TEST_F(FlightRecorderOfDomain, RefusesAPathThatIsTooLong) {
  std::string path = folder;
  while (path.size() < 4096) path += "/a-folder-below";
  EXPECT_EQ(test::error_of<InvalidArgument>([&] { return make(path); }),
            "rank 0: HALOCLINE_RECORD is '" + path +
                "'; allowed is a folder that recordings can be written to: File name too long");
}

}  // namespace
}  // namespace halocline
