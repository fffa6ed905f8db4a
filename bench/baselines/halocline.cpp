// SPDX-License-Identifier: BSD-3-Clause
// Halocline itself, on the blocks and by the protocol of the baselines.
#include "halocline/halocline.hpp"
#include "baselines/way.hpp"

namespace halocline::bench {
namespace {

class HaloclineWay final : public Way {
 public:
  HaloclineWay(comm::RankGroup& world, const Block& block)
      : Way(block),
        domain_(block.workload().cells * block.workload().grid, Stencil::box(block.workload().radius), world,
                options(block.workload())) {
    std::vector<Field<float>> fields;
    for (int f = 0; f < block.workload().fields; ++f) {
      fields.push_back(domain_.add_field<float>("q" + std::to_string(f)));
    }
    domain_.realize();
    const Subdomain& own = domain_.subdomains()[0];
    cells_ = cells_of(block.workload(), block.rank());
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const auto view = own.view(fields[f]);
      const auto stride = view.stride_bytes();
      cells_.field[f] = view.data();
      cells_.stride_y = stride[1] / std::int64_t{sizeof(float)};
      cells_.stride_z = stride[2] / std::int64_t{sizeof(float)};
      for (int dim = 0; dim < 3; ++dim) cells_.origin[dim] = view.owned().lo[dim];
    }
  }
  ~HaloclineWay() override { domain_.close(); }
  HaloclineWay(const HaloclineWay&) = delete;
  HaloclineWay& operator=(const HaloclineWay&) = delete;

  void exchange(int) override { domain_.exchange(); }
  void synchronize() override { domain_.synchronize(); }
  [[nodiscard]] const Cells& cells() const override { return cells_; }
  [[nodiscard]] bool capturable() const override { return true; }
  [[nodiscard]] std::function<void()> record(int times, int) override {
    auto capture = domain_.capture();
    for (int i = 0; i < times; ++i) domain_.exchange();
    const auto recording = std::make_shared<Graph>(capture.finish());
    return [this, recording] { recording->launch(); };
  }
  [[nodiscard]] bool has_transfer() const override { return false; }
  void transfer(int) override {}
  void plain(int) override {}
  [[nodiscard]] int variants() const override { return 1; }
  void choose(int) override {}
  [[nodiscard]] std::string text() const override { return "defaults"; }

 private:
  static DomainOptions options(const Workload& workload) {
    DomainOptions options = DomainOptions::from(Environment::read());
    options.devices.kind = halocline::DeviceKind::cuda;
    options.devices.per_rank = 1;
    options.partition.method = partition::Method::given;
    options.partition.node_grid = Vec3{1, 1, 1};
    options.partition.device_grid = workload.grid;
    return options;
  }
  Domain domain_;
  Cells cells_{};
};

}  // namespace
}  // namespace halocline::bench

int main(int argc, char** argv) {
  namespace bench = halocline::bench;
  bench::Library library;
  library.program = "bench_baseline_halocline";
  library.methods = {{"Halocline", false, [](auto& world, const bench::Block& block) {
                        return std::make_unique<bench::HaloclineWay>(world, block);
                      }}};
  return bench::run_baselines(argc, argv, library);
}
