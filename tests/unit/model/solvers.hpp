#pragma once

#include <gtest/gtest.h>

#include <string>

#include "halocline/model/simulate.hpp"

namespace halocline::model {

inline std::string solver_name(const testing::TestParamInfo<Solver>& info) {
  return std::string(to_string(info.param));
}

}  // namespace halocline::model

/// Skips the test where the build has found no SimGrid; where it has, its program must be there.
#define HC_NEED_SOLVER(solver)                                                                         \
  do {                                                                                                 \
    if (!has_solver(solver)) {                                                                         \
      ASSERT_FALSE(HALOCLINE_SIMGRID_IS_BUILT) << "the program of SimGrid was built but is not found"; \
      GTEST_SKIP() << "SimGrid was not found when this was configured: libsimgrid-dev";                \
    }                                                                                                  \
  } while (false)
