// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/app.hpp"

namespace apps {

/// `halocline run laplace3d`
[[nodiscard]] std::unique_ptr<App> make_laplace3d();

}  // namespace apps
