// SPDX-License-Identifier: BSD-3-Clause
// ipc_copy: another process of the node. Handles are exchanged once at set-up; afterwards flags in mapped memory
// coordinate it, without MPI.
#include "exchange/transport/receive_buffer_ends.hpp"

namespace halocline::exchange {

Ends make_ipc_copy(const Channel& channel, Context& context, bool sends, bool receives) {
  return make_receive_buffer_ends(channel, context, sends, receives);
}

}  // namespace halocline::exchange
