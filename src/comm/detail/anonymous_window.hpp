// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "comm/rank_group.hpp"
#include "comm/requests.hpp"

namespace halocline::comm {

/// Makes a SharedWindow of anonymous files, one for each rank, that the other ranks map. Collective over ranks that are
/// processes of one machine; if one rank fails, all throw its error.
[[nodiscard]] std::unique_ptr<SharedWindow> make_anonymous_window(RankGroup& comm, std::size_t bytes);

}  // namespace halocline::comm
