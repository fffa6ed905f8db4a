// SPDX-License-Identifier: BSD-3-Clause
#include <halocline/error.hpp>

#include "communicators.hpp"

namespace halocline::c {

comm::Communicator from_fortran_handle(std::int64_t /*handle*/, Duration /*timeout*/) {
  throw CapabilityError(
      "this build of halocline has no MPI; build it where mpicxx is found, or use halocline_domain_create() in one "
      "process");
}

}  // namespace halocline::c
