// SPDX-License-Identifier: BSD-3-Clause
#include "contender.hpp"
#include "domain/internals.hpp"
#include "halocline/halocline.hpp"
#include "halocline/mpi.hpp"

namespace halocline::bench {
namespace {

class Halocline final : public Contender {
 public:
  Halocline(const Workload& workload, std::string name, const RoutingOptions& routing,
            const std::optional<Machine>& map = {})
      : extent_(workload.cells * workload.grid),
        name_("halocline " + std::move(name)),
        domain_(extent_, Stencil::box(workload.radius), comm::from_mpi(MPI_COMM_WORLD),
                options(workload, routing, map)),
        field_(domain_.add_field<double>("u")) {
    domain_.realize();
  }
  ~Halocline() override { domain_.close(); }

  /// "auto" with what it chose.
  [[nodiscard]] std::string name() const override {
    const MessageRanking* ranking = internals(domain_).message_ranking();
    return ranking == nullptr ? name_ : name_ + ": " + std::string(to_string(ranking->chosen));
  }

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
  static DomainOptions options(const Workload& workload, const RoutingOptions& routing,
                               const std::optional<Machine>& map) {
    DomainOptions options;
    options.machine.map = map;
    options.partition.method = partition::Method::given;
    options.partition.node_grid = workload.node_grid;
    Vec3 within_node;
    for (int dim = 0; dim < 3; ++dim) within_node[dim] = workload.grid[dim] / workload.node_grid[dim];
    options.partition.device_grid = within_node;
    options.routing = routing;
    return options;
  }
  Vec3 extent_;
  std::string name_;
  Domain domain_;
  Field<double> field_;
};

}  // namespace

std::unique_ptr<Contender> make_halocline(const Workload& workload, routing::Transport transport) {
  RoutingOptions routing;
  routing.policy.order = {routing::Transport::self, transport};
  return std::make_unique<Halocline>(workload, std::string(routing::to_string(transport)), routing);
}

std::unique_ptr<Contender> make_halocline(const Workload& workload, routing::Messages messages,
                                          const std::optional<Machine>& map) {
  RoutingOptions routing;
  routing.policy.order = {routing::Transport::self, routing::Transport::direct, routing::Transport::mpi_staged};
  routing.messages = messages;
  return std::make_unique<Halocline>(workload, std::string(to_string(messages)), routing, map);
}

}  // namespace halocline::bench
