// SPDX-License-Identifier: BSD-3-Clause
#include "domain/internals.hpp"
#include "jacobi3d/kernels.hpp"

namespace jacobi3d {
namespace {

using halocline::Box;
using halocline::Subdomain;
using halocline::View;

template <typename T>
class HostKernels : public Kernels<T> {
 public:
  explicit HostKernels(const Problem& problem) : problem_(problem) {}

  void initialise(const Subdomain& subdomain, const View<T>& target) override {
    subdomain.launch(subdomain.owned(),
                     [problem = problem_, target](const Box& part) { initialise_box<T>(problem, part, target); });
  }

  void update(const Subdomain& subdomain, std::span<const Box> boxes, const View<const T>& source,
              const View<T>& target) override {
    for (const Box& box : boxes) {
      if (box.empty()) continue;
      subdomain.launch(
          box, [problem = problem_, source, target](const Box& part) { update_box<T>(problem, part, source, target); });
    }
  }

  void difference(const Subdomain& subdomain, const View<const T>& before, const View<const T>& after,
                  Difference* result) override {
    stream_of(subdomain).host_function([owned = subdomain.owned(), before, after, result] {
      *result = jacobi3d::difference<T>(owned, before, after);
    });
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
std::unique_ptr<Kernels<T>> make_kernels(const halocline::Domain& domain, const Problem& problem) {
  switch (internals(domain).backend().kind()) {
    case halocline::DeviceKind::cuda: return make_cuda_kernels<T>(domain, problem);
    case halocline::DeviceKind::host: break;
  }
  return make_host_kernels<T>(problem);
}

template std::unique_ptr<Kernels<float>> make_host_kernels<float>(const Problem&);
template std::unique_ptr<Kernels<double>> make_host_kernels<double>(const Problem&);
template std::unique_ptr<Kernels<float>> make_kernels<float>(const halocline::Domain&, const Problem&);
template std::unique_ptr<Kernels<double>> make_kernels<double>(const halocline::Domain&, const Problem&);

}  // namespace jacobi3d
