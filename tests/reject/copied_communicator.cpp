// SPDX-License-Identifier: BSD-3-Clause
// A second communicator is made by a collective, never by a copy.
// expect: deleted
#include <memory>
#include <utility>

#include "halocline/communicator.hpp"

using halocline::comm::Communicator;

#ifdef HC_CONTROL
void take(std::unique_ptr<Communicator> mine) { auto yours = std::move(mine); }
#else
void take(Communicator& mine, Communicator& yours) { yours = mine; }
#endif
