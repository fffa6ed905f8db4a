// SPDX-License-Identifier: BSD-3-Clause
#include "io/pace.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace halocline::io {
namespace {

using namespace std::chrono_literals;

template <typename Work>
auto time_of(Work&& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::steady_clock::now() - begin;
}

TEST(APace, IsNotExceeded) {
  Pace pace(1e8);
  EXPECT_GE(time_of([&] {
              for (int i = 0; i < 10; ++i) pace.spend(1'000'000);
            }),
            100ms);
}

TEST(APace, ThatEndsLetsTheWriterGo) {
  Pace pace(1);
  std::thread other([&] {
    std::this_thread::sleep_for(20ms);
    pace.end();
  });
  EXPECT_LT(time_of([&] { pace.spend(1'000'000); }), 60s);
  EXPECT_LT(time_of([&] { pace.spend(1'000'000); }), 60s);
  other.join();
}

TEST(APace, IsKeptHoweverSmallItIs) {
  for (const double rate : {1e-4, 1e-9, 1e-300}) {
    Pace pace(rate);
    std::thread other([&] {
      std::this_thread::sleep_for(20ms);
      pace.end();
    });
    EXPECT_GE(time_of([&] { pace.spend(1'000'000); }), 15ms) << rate;
    other.join();
  }
}

TEST(APace, OfZeroIsNone) {
  Pace pace(0);
  EXPECT_LT(time_of([&] { pace.spend(std::int64_t{1} << 60); }), 60s);
}

}  // namespace
}  // namespace halocline::io
