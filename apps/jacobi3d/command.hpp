// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/app.hpp"

namespace apps {

/// `halocline run jacobi3d`
[[nodiscard]] std::unique_ptr<App> make_jacobi3d();

}  // namespace apps
