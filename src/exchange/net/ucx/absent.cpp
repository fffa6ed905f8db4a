// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/net/ucx/ucx.hpp"
#include "halocline/error.hpp"

namespace halocline::exchange {

const Verdict& ucx_usable() {
  static const Verdict no = Verdict::of(false, "Halocline was built without UCX (HALOCLINE_UCX)");
  return no;
}

std::unique_ptr<net::Messages> net::make_ucx_messages(std::unique_ptr<comm::RankGroup> /*group*/) {
  throw InternalError(ucx_usable().why_not);
}

}  // namespace halocline::exchange
