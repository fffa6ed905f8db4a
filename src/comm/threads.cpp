// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <exception>
#include <numeric>
#include <thread>

#include "comm/local/local_communicator.hpp"
#include "comm/local_ranks.hpp"
#include "halocline/session.hpp"

namespace halocline::comm {
namespace {

/// How a body ended, for the ranks that still wait for it.
std::string how_ended(const std::exception_ptr& thrown) noexcept {
  try {
    if (!thrown) return "without sending it";
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception& error) {
      return fmt::format("with an error: {}", error.what());
    } catch (...) {
      return "with an exception of an unknown type";
    }
  } catch (...) {  // a text that needs none
    return "without memory";
  }
}

void end_unstarted(local::Roll& roll, int rank) noexcept {
  try {
    roll.end(rank, "before it started");
  } catch (...) {  // a text that needs none
    roll.end(rank, "without memory");
  }
}

bool is_consequence(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const local::PeerEnded&) {
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace

void run_as_threads(int ranks, const std::function<void(RankGroup&)>& body, const ThreadsOptions& options) {
  if (ranks < 1) throw InvalidArgument(fmt::format("run_as_threads: ranks is {}; allowed is 1 or more", ranks));
  std::vector<int> world(static_cast<std::size_t>(ranks));
  std::iota(world.begin(), world.end(), 0);
  auto roll = std::make_shared<local::Roll>(ranks);
  const auto group = std::make_shared<local::Group>(roll, world);
  std::vector<std::exception_ptr> thrown(world.size());

  const auto run_one = [&](int rank) {
    std::exception_ptr& mine = thrown[static_cast<std::size_t>(rank)];
    try {
      local::LocalCommunicator comm(CommBackend::threads, group, rank, *options.clock, options.timeout);
      body(comm);
    } catch (...) {
      mine = std::current_exception();
    }
    roll->end(rank, how_ended(mine));
  };
  {
    std::vector<std::jthread> threads;
    threads.reserve(world.size());
    try {
      for (const int rank : world) threads.emplace_back(run_one, rank);
    } catch (const std::exception& error) {
      // The ranks that have started must not wait for those that never will.
      for (int rank = static_cast<int>(threads.size()); rank < ranks; ++rank) end_unstarted(*roll, rank);
      throw ResourceError(fmt::format("cannot start a thread for each of {} ranks: {}", ranks, error.what()));
    }
  }
  std::exception_ptr first;
  for (const auto& one : thrown) {
    if (!one) continue;
    if (!is_consequence(one)) std::rethrow_exception(one);
    if (!first) first = one;
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace halocline::comm
