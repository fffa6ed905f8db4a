// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>

#include "comm/local/group.hpp"
#include "comm/rank_group.hpp"
#include "comm/requests.hpp"

namespace halocline::comm::local {

/// One rank of a group, as requests need it.
struct Member {
  std::shared_ptr<Group> group;
  std::shared_ptr<const Life> life;
  int rank = 0;
};

/// The arguments are checked by the caller.
[[nodiscard]] std::unique_ptr<Request> make_send(const Member& from, std::span<const std::byte> bytes, int to, int tag);
[[nodiscard]] std::unique_ptr<Request> make_receive(const Member& to, std::span<std::byte> bytes, int from, int tag,
                                                    Length length = Length::exact);
[[nodiscard]] std::unique_ptr<PersistentRequest> make_persistent_send(const Member& from,
                                                                      std::span<const std::byte> bytes, int to,
                                                                      int tag);
[[nodiscard]] std::unique_ptr<PersistentRequest> make_persistent_receive(const Member& to, std::span<std::byte> bytes,
                                                                         int from, int tag,
                                                                         Length length = Length::exact);

}  // namespace halocline::comm::local
