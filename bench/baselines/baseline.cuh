#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "baselines/block.cuh"
#include "halocline/comm/communicator.hpp"

namespace halocline::bench {

/// A way to exchange halos between all ranks' blocks; rank r's are number r * n to r * n + n - 1. Collective.
class Baseline {
 public:
  virtual ~Baseline() = default;
  /// Enqueues an exchange, or carries it out.
  virtual void exchange() = 0;
};

struct Making {
  comm::Communicator* world = nullptr;
  Workload workload;
  std::vector<Block>* blocks = nullptr;  ///< this rank's
};

struct Method {
  std::string config;
  bool cuda_aware = false;
  std::function<std::unique_ptr<Baseline>(const Making&)> make;
};

/// A baseline's main(): reads the options, makes the blocks, checks every cell before and after, times like the
/// studies, and writes OUT/baseline.csv. Wrong cells are exit code 1. Where nothing failed, all ranks call `at_end`
/// when the last baseline is gone and MPI is still there.
int run_baseline(int argc, char** argv, const std::string& program, const std::vector<Method>& methods,
                 const std::function<void()>& at_end = {});

}  // namespace halocline::bench
