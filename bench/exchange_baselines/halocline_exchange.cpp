// SPDX-License-Identifier: BSD-3-Clause
#include "contender.hpp"
#include "halocline/halocline.hpp"
#include "halocline/mpi.hpp"

namespace halocline::bench {
namespace {

class Halocline final : public Contender {
 public:
  Halocline(const Workload& workload, routing::Transport transport)
      : extent_(workload.cells * workload.grid),
        transport_(transport),
        domain_(extent_, Stencil::box(workload.radius), comm::from_mpi(MPI_COMM_WORLD), options(workload, transport)),
        field_(domain_.add_field<double>("u")) {
    domain_.realize();
  }
  ~Halocline() override { domain_.close(); }

  [[nodiscard]] std::string name() const override { return "halocline " + std::string(routing::to_string(transport_)); }

  void fill() override {
    const auto view = domain_.subdomains()[0].view(field_);
    for_each_cell(view.with_halo(), [&](const Vec3& p) { view(p) = view.owned().contains(p) ? value_at(p) : -1; });
    domain_.plan().comm.barrier();
  }

  [[nodiscard]] std::int64_t wrong_cells() override {
    const auto view = domain_.subdomains()[0].view(field_);
    std::int64_t wrong = 0;
    for_each_cell(view.with_halo(), [&](const Vec3& p) {
      Vec3 wrapped = p;
      for (int dim = 0; dim < 3; ++dim) wrapped[dim] = (p[dim] + extent_[dim]) % extent_[dim];
      wrong += view(p) != value_at(wrapped) ? 1 : 0;
    });
    return wrong;
  }

  void exchange() override {
    domain_.exchange();
    domain_.synchronize();
  }

 private:
  static DomainOptions options(const Workload& workload, routing::Transport transport) {
    DomainOptions options;
    options.partition.method = partition::Method::given;
    options.partition.node_grid = Vec3{1, 1, 1};
    options.partition.device_grid = workload.grid;
    options.routing.policy.order = {routing::Transport::self, transport};
    return options;
  }
  Vec3 extent_;
  routing::Transport transport_;
  Domain domain_;
  Field<double> field_;
};

}  // namespace

std::unique_ptr<Contender> make_halocline(const Workload& workload, routing::Transport transport) {
  return std::make_unique<Halocline>(workload, transport);
}

}  // namespace halocline::bench
