// SPDX-License-Identifier: BSD-3-Clause
// Which transports make a device current.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "comm/local_ranks.hpp"
#include "device/host.hpp"
#include "halocline/halocline.hpp"
#include "support/error_of.hpp"
#include "support/forwarding_backend.hpp"

namespace halocline {
namespace {

/// The devices that exchanges of two ranks with two devices each make current, without duplicates, by rank.
std::vector<std::set<int>> made_current(routing::Transport between_ranks) {
  std::vector<std::set<int>> current(2);
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    device::HostOptions two;
    two.devices = 2;
    const auto backend = std::make_shared<test::ForwardingBackend>(device::make_host_backend(two), test::Said());
    DomainOptions options;
    options.devices.existing.emplace(backend);
    options.routing.policy.order = {routing::Transport::self, between_ranks};
    Domain domain({8, 8, 32}, Stencil::box(1), comm, options);
    static_cast<void>(domain.add_field<float>("u"));
    domain.realize();
    const auto before = backend->current().size();  // made current by the trial of MPI on device memory
    domain.exchange();
    domain.synchronize();
    domain.close();
    current[comm.rank().index()] = {backend->current().begin() + static_cast<std::ptrdiff_t>(before),
                                    backend->current().end()};
  });
  return current;
}

/// A backend that does not make a device current.
class Refusing final : public test::ForwardingBackend {
 public:
  using ForwardingBackend::ForwardingBackend;
  int refused = -1;
  std::unique_ptr<device::Current> make_current(int device) override {
    if (device == refused)
      throw DeviceError("cudaSetDevice of device " + std::to_string(device) + " is planted to fail");
    return ForwardingBackend::make_current(device);
  }
};

TEST(CurrentDevice, that_is_refused_is_an_error_of_its_guard) {
  device::HostOptions two;
  two.devices = 2;
  const auto backend = std::make_shared<Refusing>(device::make_host_backend(two), test::Said());
  DomainOptions options;
  options.devices.existing.emplace(backend);
  Domain domain({8, 8, 32}, Stencil::box(1), options);
  static_cast<void>(domain.add_field<float>("u"));
  domain.realize();
  backend->refused = 1;
  const auto guarded = [&](std::size_t i) {
    return test::error_of<DeviceError>([&] { const DeviceGuard current(domain.subdomains()[i]); });
  };
  EXPECT_EQ(guarded(0), "(no error)");
  EXPECT_EQ(guarded(1), "cudaSetDevice of device 1 is planted to fail");
  domain.close();
}

TEST(CurrentDevice, is_the_memorys_where_mpi_is_given_it) {
  EXPECT_THAT(made_current(routing::Transport::mpi_device), testing::Each(testing::ElementsAre(0, 1)));
}

TEST(CurrentDevice, is_left_alone_elsewhere) {
  EXPECT_THAT(made_current(routing::Transport::mpi_staged), testing::Each(testing::IsEmpty()));
}

}  // namespace
}  // namespace halocline
