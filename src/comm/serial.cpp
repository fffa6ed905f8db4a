// SPDX-License-Identifier: BSD-3-Clause
#include "comm/local/local_communicator.hpp"
#include "halocline/session.hpp"

namespace halocline::comm {

std::unique_ptr<RankGroup> serial(const Clock& clock) {
  auto group = std::make_shared<local::Group>(std::make_shared<local::Roll>(1), std::vector<int>{0});
  return std::make_unique<local::LocalCommunicator>(CommBackend::serial, std::move(group), 0, clock,
                                                    std::chrono::seconds(120));
}

}  // namespace halocline::comm
