// SPDX-License-Identifier: BSD-3-Clause
#include "xla.hpp"

namespace halocline::python {

nanobind::dict xla_handlers() { return {}; }

}  // namespace halocline::python
