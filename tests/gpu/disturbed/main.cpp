// SPDX-License-Identifier: BSD-3-Clause
// gpu_disturbed trap|full|tight|two_jobs <transports> <seconds> <folder>: what ranks with GPUs report when a kernel of rank 1 traps between
// two exchanges, or when their devices are full before a domain is made. Each writes one line into a file of the folder, as a
// launcher may mix what ranks print, and ends by itself. The rules for the lines are in disturbed.sh, which itself starts the two
// jobs: for them, this only looks whether there are GPUs enough.
#include <cuda_runtime_api.h>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "comm/rank_group.hpp"
#include "gpu/disturbed/kernels.hpp"
#include "halocline/halocline.hpp"

namespace halocline::test {
namespace {

constexpr int skipped = 77;

int gpus() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

std::string described(const Error& error) { return fmt::format("{}: {}", to_string(error.kind()), error.what()); }

class Watch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  }

 private:
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

/// Most of the free memory of a device, in pieces of a power of two: less than `left` bytes, another one, are left.
class Filling {
 public:
  Filling(int ordinal, std::size_t left) {
    cudaSetDevice(ordinal);
    for (std::size_t bytes = std::size_t{1} << 36; bytes >= left;) {
      void* piece = nullptr;
      if (cudaMalloc(&piece, bytes) == cudaSuccess) {
        pieces_.emplace_back(piece);
      } else {
        bytes /= 2;
      }
    }
    cudaGetLastError();  // of the last attempt
  }

 private:
  struct Free {
    void operator()(void* piece) const { cudaFree(piece); }
  };
  std::vector<std::unique_ptr<void, Free>> pieces_;
};

struct Job {
  comm::RankGroup& world;
  DomainOptions options;
  std::string folder;

  [[nodiscard]] std::unique_ptr<Domain> make() const {
    auto domain = std::make_unique<Domain>(Vec3{256, 256, 256}, Stencil::box(2), world, options);
    domain->add_field<double>("u");
    return domain;
  }
  static void exchange(Domain& domain, int times) {
    for (int i = 0; i < times; ++i) domain.exchange();
    domain.synchronize();
  }
  void report(double took, double closing, const std::string& text) const {
    std::ofstream(fmt::format("{}/rank-{}", folder, world.rank().value()))
        << fmt::format("after {:.2f} s, closed within {:.2f} s: {}\n", took, closing, text);
  }
};

void with_a_trap(const Job& job) {
  auto domain = job.make();
  domain->realize();
  Job::exchange(*domain, 3);
  job.world.barrier();
  const Watch watch;
  std::string text = "no error";
  try {
    if (job.world.rank() == rank_id(1)) {
      const Subdomain& subdomain = domain->subdomains().front();
      const DeviceGuard guard(subdomain);
      trap(subdomain.stream().native());
    }
    Job::exchange(*domain, 4);
  } catch (const Error& error) {
    text = described(error);
  }
  const double took = watch.seconds();
  const Watch closing;
  domain.reset();
  job.report(took, closing.seconds(), text);
}

void without_memory(const Job& job, std::size_t left) {
  std::vector<Filling> fillings;
  for (int i = 0; i < gpus(); ++i) fillings.emplace_back(i, left);
  job.world.barrier();
  const Watch watch;
  std::string text = "no error";
  auto domain = job.make();
  try {
    domain->realize();
  } catch (const Error& error) {
    text = described(error);
  }
  const double took = watch.seconds();
  const Watch closing;
  domain.reset();
  const double closed = closing.seconds();
  job.world.barrier();
  fillings.clear();
  job.world.barrier();
  domain = job.make();
  domain->realize();
  Job::exchange(*domain, 3);
  domain->close();
  job.report(took, closed, text);
}

int run(comm::Session& session, char** argv) {
  const std::string what = argv[1];
  const std::string transports = argv[2];
  Job job{session.world(), DomainOptions::from(Environment::read()), argv[4]};
  const bool one_each = !transports.starts_with("ipc_copy") && !transports.starts_with("mpi_staged");
  if (one_each && std::cmp_less(gpus(), job.world.size())) {
    fmt::print("gpu_disturbed: skipped: {} needs a GPU a rank; {} ranks see {} GPUs\n", transports, job.world.size(),
               gpus());
    return skipped;
  }
  job.options.timeout = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(std::atof(argv[3])));
  job.options.routing.policy = routing::Policy::parse(transports);
  if (what == "trap") with_a_trap(job);
  // Of the domain's field, 71 MB are a rank's.
  if (what == "full") without_memory(job, std::size_t{1} << 22);
  if (what == "tight") without_memory(job, std::size_t{1} << 26);
  return 0;
}

}  // namespace
}  // namespace halocline::test

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: gpu_disturbed trap|full|tight|two_jobs <transports> <seconds> <folder>\n");
    return 2;
  }
  if (halocline::test::gpus() == 0) {
    fmt::print("gpu_disturbed: skipped: no GPU\n");
    return halocline::test::skipped;
  }
  try {
    halocline::comm::Session session(&argc, &argv, halocline::Environment::read());
    return halocline::test::run(session, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "unexpected: {}\n", error.what());
    return 1;
  }
}
