// SPDX-License-Identifier: BSD-3-Clause
#include "common/app.hpp"
#include "jacobi3d/command.hpp"
#include "laplace3d/command.hpp"
#include "mhd/command.hpp"

namespace apps {

std::vector<std::unique_ptr<App>> all_apps() {
  std::vector<std::unique_ptr<App>> all;
  all.push_back(make_jacobi3d());
  all.push_back(make_laplace3d());
  all.push_back(make_mhd());
  return all;
}

}  // namespace apps
