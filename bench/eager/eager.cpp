// SPDX-License-Identifier: BSD-3-Clause
// Microseconds of the host for exchange() and for a launch of captured steps, 5,000 in a row, as eager.py measures them from Python:
// one process, its devices, 4 fields of fp32, radius 3, periodic.
#include <fmt/core.h>

#include <chrono>
#include <cstdlib>

#include "halocline/halocline.hpp"

namespace {

constexpr int calls = 5000;

template <typename Call>
void measure(hc::Domain& domain, const char* what, const Call& call) {
  for (int i = 0; i < 100; ++i) call();
  domain.synchronize();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) call();
  const std::chrono::duration<double, std::micro> host = std::chrono::steady_clock::now() - begin;
  domain.synchronize();
  const std::chrono::duration<double, std::micro> all = std::chrono::steady_clock::now() - begin;
  fmt::print("C++ {:<28} {:7.2f} us of the host a call, {:7.2f} us in all\n", what, host.count() / calls,
             all.count() / calls);
}

int run(std::int64_t cells) {
  hc::DomainOptions options = hc::DomainOptions::from(hc::Environment::read());
  hc::Domain domain(hc::Vec3::filled(cells), hc::Stencil::box(3), options);
  for (const char* name : {"a", "b", "c", "d"}) domain.add_field<float>(name);
  domain.realize();
  fmt::print("{}^3, {} device(s)\n", cells, domain.plan().devices.count());
  measure(domain, "exchange()", [&] { domain.exchange(); });
  measure(domain, "exchange(), synchronize()", [&] {
    domain.exchange();
    domain.synchronize();
  });
  {
    auto capture = domain.capture();
    domain.exchange();
    const hc::Graph step = capture.finish();
    measure(domain, "launch()", [&] { step.launch(); });
  }
  domain.close();
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? std::atoll(argv[1]) : 16);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_eager: {}\n", error.what());
    return EXIT_FAILURE;
  }
}
