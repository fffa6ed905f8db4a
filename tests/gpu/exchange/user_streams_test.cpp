// SPDX-License-Identifier: BSD-3-Clause
// Exchanges in the caller's CUDA streams, eager and in graphs that the caller captures.
#include <cuda_runtime_api.h>

#include "device/backend.hpp"
#include "device/cuda_backend.hpp"
#include "domain/internals.hpp"
#include "gpu/exchange/gpus.hpp"
#include "halocline/halocline.hpp"

namespace halocline::test {
namespace {

class GpuUserStreams : public testing::Test {
 protected:
  static constexpr Vec3 extent{24, 20, 16};
  void SetUp() override {
    HALOCLINE_NEEDS_GPUS(1);
    DomainOptions options;
    options.devices.existing.emplace(device::make_cuda_backend({}));
    domain = std::make_unique<Domain>(extent, Stencil::box(2), options);
    u = domain->add_field<float>("u");
    domain->realize();
    for (const Subdomain& s : domain->subdomains()) {
      ASSERT_EQ(cudaSetDevice(internals(*domain).backend().info(s.device()).native_ordinal), cudaSuccess);
      handles.emplace_back();
      events.emplace_back();
      ASSERT_EQ(cudaStreamCreateWithFlags(&handles.back(), cudaStreamNonBlocking), cudaSuccess);
      ASSERT_EQ(cudaEventCreateWithFlags(&events.back(), cudaEventDisableTiming), cudaSuccess);
      borrowed.push_back(internals(*domain).backend().borrow_stream(s.device(), handles.back()));
      EXPECT_EQ(borrowed.back()->native(), handles.back());
      streams.push_back(borrowed.back().get());
    }
  }
  void TearDown() override {
    if (domain) domain->close();
    borrowed.clear();
    for (const cudaEvent_t event : events) EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
    for (const cudaStream_t handle : handles) EXPECT_EQ(cudaStreamDestroy(handle), cudaSuccess);
  }

  static float value(const Vec3& p, int step) {
    Vec3 q = p;
    for (int dim = 0; dim < 3; ++dim) q[dim] = (p[dim] + extent[dim]) % extent[dim];
    return static_cast<float>(q.x + 24 * (q.y + 20 * q.z)) + static_cast<float>(step) / 8;
  }
  /// The owned cells of the step, and invalid halos.
  void write(int step) {
    for (const Subdomain& s : domain->subdomains()) {
      const auto cells = to_host(s, u);
      for_each_cell(cells.view().with_halo(),
                    [&](const Vec3& p) { cells(p) = s.owned().contains(p) ? value(p, step) : -1; });
      cells.upload(s, u);
    }
  }
  void expect_all(int step) {
    for (const Subdomain& s : domain->subdomains()) {
      const auto cells = to_host(s, u);
      int wrong = 0;
      for_each_cell(cells.view().with_halo(), [&](const Vec3& p) { wrong += cells(p) == value(p, step) ? 0 : 1; });
      EXPECT_EQ(wrong, 0) << "subdomain " << s.id().value() << ", step " << step;
    }
  }

  std::unique_ptr<Domain> domain;
  Field<float> u;
  std::vector<cudaStream_t> handles;
  std::vector<cudaEvent_t> events;
  std::vector<std::unique_ptr<Stream>> borrowed;
  std::vector<Stream*> streams;
};

TEST_F(GpuUserStreams, AreExchangedIn) {
  for (int step = 0; step < 3; ++step) {
    write(step);
    domain->use_streams(streams);
    domain->exchange();
    for (const cudaStream_t handle : handles) ASSERT_EQ(cudaStreamSynchronize(handle), cudaSuccess);
    expect_all(step);
  }
}

TEST_F(GpuUserStreams, AreCapturedByTheCaller) {
  write(0);
  domain->use_streams(streams);
  domain->exchange();  // eager exchanges alternate with replays
  domain->synchronize();
  ASSERT_EQ(cudaStreamBeginCapture(handles.front(), cudaStreamCaptureModeRelaxed), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(events.front(), handles.front()), cudaSuccess);
  for (std::size_t i = 1; i < handles.size(); ++i) {
    ASSERT_EQ(cudaStreamWaitEvent(handles[i], events.front(), 0), cudaSuccess);
  }
  domain->exchange();
  domain->exchange();
  for (std::size_t i = 1; i < handles.size(); ++i) {
    ASSERT_EQ(cudaEventRecord(events[i], handles[i]), cudaSuccess);
    ASSERT_EQ(cudaStreamWaitEvent(handles.front(), events[i], 0), cudaSuccess);
  }
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(handles.front(), &graph), cudaSuccess);
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  for (int step = 1; step < 4; ++step) {
    write(step);
    ASSERT_EQ(cudaGraphLaunch(executable, handles.front()), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(handles.front()), cudaSuccess);
    expect_all(step);
    write(step + 10);
    domain->exchange();
    expect_all(step + 10);
  }
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(GpuUserStreams, ThatDoNotFitAreRefused) {
  EXPECT_THROW((void)internals(*domain).backend().borrow_stream(0, nullptr), InvalidArgument);
  EXPECT_THROW((void)internals(*domain).backend().borrow_stream(0, cudaStreamLegacy), InvalidArgument);
  if (handles.size() > 1) {
    EXPECT_THROW((void)internals(*domain).backend().borrow_stream(0, handles[1]), InvalidArgument);
  }
}

}  // namespace
}  // namespace halocline::test
