// SPDX-License-Identifier: BSD-3-Clause
// planted_hang <fate> <transport> <victim> <exchange> <seconds>: a job whose rank `victim` makes it hang, in the given exchange, or
// before it. seconds: how long an exchange may take. Each rank prints "rank <rank> is <pid>" when the exchanges begin. Ranks that get
// an error print it and end a second later; those that hang stay until they are killed.
//
// What the victim does:
//   killed, stopped  before the exchange, by a signal
//   sleeps           before the exchange, in the program's own code
//   left             destroys its domain before the exchange
//   half             starts the exchange and does not finish it
//   graph            the exchanges are replayed from a graph; the victim sleeps before it launches this one
//   stream           work in its stream, before the exchange, does not end
//   differs          exchanges other fields than the rest
//   unclosed         does not call close() after the exchange
//   withheld         the message by MPI to the next rank is not sent; the call that starts it returns without an error
#include <fmt/core.h>
#include <mpi.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "comm/rank_group.hpp"
#include "halocline/halocline.hpp"

using namespace halocline;

namespace {

/// Persistent sends that are to be withheld: how often they were started so far.
std::map<MPI_Request, std::int64_t> watched;
int withheld_from = -1;  ///< rank that the withheld message goes to
std::int64_t withheld_at = -1;

void say(const std::string& line) {
  const std::string whole = line + "\n";
  [[maybe_unused]] const auto written = ::write(STDOUT_FILENO, whole.data(), whole.size());
}

[[noreturn]] void sleep_for_ever() {
  say("planted");
  while (true) std::this_thread::sleep_for(std::chrono::seconds(1));
}

struct Case {
  std::string fate;
  std::string transport;
  std::int64_t victim = 0;
  int exchange = 0;
  double seconds = 0;
};

void plant(const Case& wanted, std::unique_ptr<Domain>& domain, const std::vector<Transfer>& one_field) {
  const std::string& fate = wanted.fate;
  if (fate == "killed" || fate == "stopped") {
    say("planted");
    ::raise(fate == "killed" ? SIGKILL : SIGSTOP);
  } else if (fate == "left") {
    domain.reset();
    sleep_for_ever();
  } else if (fate == "half") {
    [[maybe_unused]] const auto exchange = domain->start_exchange();
    sleep_for_ever();
  } else if (fate == "stream") {
    for (const Subdomain& subdomain : domain->subdomains()) {
      subdomain.stream().host_function([] { sleep_for_ever(); });
      break;
    }
  } else if (fate == "differs") {
    say("planted");
    domain->exchange(one_field);
  } else if (fate == "sleeps" || fate == "graph") {
    sleep_for_ever();
  }
}

int run(const Case& wanted, int argc, char** argv) {
  comm::Session session(&argc, &argv, Environment::read());
  comm::RankGroup& world = session.world();
  DomainOptions options = DomainOptions::from(Environment::read());
  options.devices.per_rank = 1;
  options.timeout = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(wanted.seconds));
  options.routing.policy.order = {routing::transport_from_string(wanted.transport), routing::Transport::self,
                                  routing::Transport::mpi_staged};
  auto domain = std::make_unique<Domain>(Vec3{8, 8, 8 * world.size()}, Stencil::box(1), world, options);
  const auto u = domain->add_field<double>("u");
  domain->add_field<float>("v");
  domain->realize();
  const bool victim = world.rank().value() == wanted.victim;
  const std::vector<Transfer> one_field{{.field = u.id}};
  std::optional<Graph> graph;
  if (wanted.fate == "graph") {
    Capture capture = domain->capture();
    domain->exchange();
    graph.emplace(capture.finish());
  }
  if (victim && wanted.fate == "withheld") {
    withheld_from = static_cast<int>((wanted.victim + 1) % world.size());
    withheld_at = wanted.exchange;
  }
  world.barrier();
  say(fmt::format("rank {} is {}", world.rank().value(), ::getpid()));
  try {
    for (int n = 1; n <= wanted.exchange + 2; ++n) {
      if (victim && n == wanted.exchange && wanted.fate != "withheld" && wanted.fate != "unclosed") {
        plant(wanted, domain, one_field);
      }
      if (wanted.fate == "unclosed" && n > wanted.exchange) break;
      if (graph) {
        graph->launch();
      } else {
        domain->exchange();
      }
      domain->synchronize();
    }
    if (victim && wanted.fate == "unclosed") sleep_for_ever();
    graph.reset();
    domain->close();
    say(fmt::format("rank {} has closed", world.rank().value()));
  } catch (const Error& error) {
    say(fmt::format("rank {} got: {}", world.rank().value(), error.what()));
  }
  // Others print their errors, and write their recordings, before the launcher ends the job.
  std::this_thread::sleep_for(std::chrono::seconds(1));
  ::_exit(0);
}

}  // namespace

// In front of the library's.
extern "C" int MPI_Send_init(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                             MPI_Request* request) {
  const int result = PMPI_Send_init(from, count, type, to, tag, comm, request);
  if (to == withheld_from) watched[*request] = 0;
  return result;
}

/// An inactive request is complete for those who test it.
extern "C" int MPI_Start(MPI_Request* request) {
  const auto found = watched.find(*request);
  if (found != watched.end() && ++found->second == withheld_at) {
    say("planted");
    return MPI_SUCCESS;
  }
  return PMPI_Start(request);
}

int main(int argc, char** argv) {
  if (argc != 6) {
    say("usage: planted_hang <fate> <transport> <victim> <exchange> <seconds>");
    return 2;
  }
  try {
    return run({argv[1], argv[2], std::atoll(argv[3]), std::atoi(argv[4]), std::atof(argv[5])}, argc, argv);
  } catch (const std::exception& error) {
    say(fmt::format("unexpected: {}", error.what()));
    return 1;
  }
}
