// SPDX-License-Identifier: BSD-3-Clause
#include "device/backend.hpp"
#include "laplace3d/kernels.hpp"
#include "laplace3d/row.hpp"

namespace laplace3d {
namespace {

using halocline::Box;
using halocline::View;
using halocline::device::Stream;

template <typename T>
class HostKernels : public Kernels<T> {
 public:
  explicit HostKernels(const Problem& problem) : problem_(problem) {}

  void initialise(Stream& stream, const Box& box, const View<T>& target) override {
    stream.launch(box, [target](const Box& part) { initialise_box<T>(part, target); });
  }

  void update(Stream& stream, std::span<const Box> boxes, const View<const T>& source, const View<T>& target) override {
    for (const Box& box : boxes) {
      if (box.empty()) continue;
      stream.launch(
          box, [problem = problem_, source, target](const Box& part) { update_box<T>(problem, part, source, target); });
    }
  }

 private:
  Problem problem_;
};

}  // namespace

template <typename T>
std::unique_ptr<Kernels<T>> make_host_kernels(const Problem& problem) {
  return std::make_unique<HostKernels<T>>(problem);
}

template <typename T>
std::unique_ptr<Kernels<T>> make_kernels(halocline::device::Backend& backend, const Problem& problem) {
  switch (backend.kind()) {
    case halocline::DeviceKind::cuda: return make_cuda_kernels<T>(backend, problem);
    case halocline::DeviceKind::host: break;
  }
  return make_host_kernels<T>(problem);
}

template std::unique_ptr<Kernels<float>> make_host_kernels<float>(const Problem&);
template std::unique_ptr<Kernels<double>> make_host_kernels<double>(const Problem&);
template std::unique_ptr<Kernels<float>> make_kernels<float>(halocline::device::Backend&, const Problem&);
template std::unique_ptr<Kernels<double>> make_kernels<double>(halocline::device::Backend&, const Problem&);

}  // namespace laplace3d
