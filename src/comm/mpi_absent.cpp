// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>

#include "comm/detail/runtime.hpp"

namespace halocline::comm::runtime {
namespace {

[[noreturn]] void refuse() {
  throw CapabilityError("MPI is not built into this Halocline: configure it with HALOCLINE_MPI=ON");
}

}  // namespace

bool built() { return false; }
bool active() { return false; }
bool finalised() { return false; }
std::string library() { return {}; }
std::string mpiexec() { return {}; }
void initialise(int*, char***, Duration, AskedLevel) { refuse(); }
int world_size() { refuse(); }
ThreadLevel thread_level() { refuse(); }
std::unique_ptr<RankGroup> world(Duration) { refuse(); }
void attend() {}
bool any_poisoned() { return false; }
void finalise(Duration) {}
void abort(int exit_code) { std::_Exit(exit_code); }

}  // namespace halocline::comm::runtime
