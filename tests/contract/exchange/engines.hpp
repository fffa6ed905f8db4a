// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "exchange/ucx_usable.hpp"
#include "halocline/routing.hpp"

namespace halocline::test {

/// Why tests cannot use UCX; empty if they can.
inline std::string ucx_missing() {
#ifdef __SANITIZE_THREAD__
  return "ThreadSanitizer does not see how UCX synchronises: it is not compiled with it";
#else
  return exchange::ucx_usable().why_not;
#endif
}

/// Tests of net by each engine.
class ByEngine : public testing::TestWithParam<routing::NetEngine> {
 protected:
  void SetUp() override {
    if (GetParam() != routing::NetEngine::ucx) return;
    if (const std::string why = ucx_missing(); !why.empty()) GTEST_SKIP() << why;
  }
};
inline const auto both_engines = testing::Values(routing::NetEngine::mpi, routing::NetEngine::ucx);
inline const auto by_engine = [](const auto& param) { return std::string(routing::to_string(param.param)); };

}  // namespace halocline::test
