// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/app.hpp"

namespace apps {

/// `halocline run mhd`
[[nodiscard]] std::unique_ptr<App> make_mhd();

}  // namespace apps
