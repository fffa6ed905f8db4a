// SPDX-License-Identifier: BSD-3-Clause
// Builds that link an MPI, or have none, load no plug-ins.
#include <halocline/error.hpp>

#include "communicators.hpp"

namespace halocline::python::plugins {

std::vector<std::pair<std::string, std::string>> all() { return {}; }
bool is_loaded(const std::string& /*library*/) { return false; }
std::string load(const std::string& file) {
  throw CapabilityError("this build of halocline has no plug-ins for MPI, and loads no " + file +
                        ": build it with HALOCLINE_MPI=PLUGGED");
}

}  // namespace halocline::python::plugins
