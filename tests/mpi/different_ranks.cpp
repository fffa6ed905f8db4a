// SPDX-License-Identifier: BSD-3-Clause
// A job whose rank 0 differs: it makes another collective call, or it is the program in the second argument, of another version of
// Halocline. Rank 0 prints the error that all ranks have; ctest checks it.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "comm/gather.hpp"
#include "comm/rank_group.hpp"
#include "halocline/domain.hpp"
#include "halocline/environment.hpp"
#include "halocline/session.hpp"
#include "launched_first.hpp"

using namespace halocline;

namespace {

/// The error of this rank.
std::string error_of(comm::RankGroup& world, std::string_view mode) {
  try {
    DomainOptions options;
    options.timeout = std::chrono::seconds(20);
    Domain domain({12, 12, 12}, Stencil::star(1), world, options);
    domain.add_field<float>("u");
    domain.realize();
    domain.exchange();
    if (mode == "calls" && world.rank() == rank_id(0)) domain.rebalance();
    domain.close();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (argc > 2 && is_launched_first()) {
    ::execl(argv[2], argv[2], mode.c_str(), nullptr);
    return 1;
  }
  comm::Session session(&argc, &argv, Environment::read());
  comm::RankGroup& world = session.world();
  const std::vector<std::string> errors = comm::gather(world, error_of(world, mode));
  if (world.rank() != rank_id(0)) return 0;
  const bool same = std::ranges::adjacent_find(errors, std::not_equal_to()) == errors.end();
  fmt::print("{}: {}\n", same ? "on all ranks" : "not on all ranks", errors[0]);
}
