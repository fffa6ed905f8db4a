// SPDX-License-Identifier: BSD-3-Clause
// bench_memory [--out FILE] [--block 512,64]: the device memory that a domain takes beyond CUDA's context, after each step of its set-up, of
// the device that has most. 4 fields of f32, radius 3, periodic; one process with all GPUs that are visible, cut in z, and in x. CUDA
// gives memory in blocks of 2 MiB.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "comm/rank_group.hpp"
#include "halocline/halocline.hpp"
#include "memory/used.hpp"
#include "support/csv.hpp"
#include "support/program.hpp"

namespace halocline::bench {
namespace {

constexpr double mebi = 1024 * 1024;
constexpr std::int64_t radius = 3;
constexpr int fields = 4;

struct Options {
  std::string out;
  std::vector<std::int64_t> blocks{512, 256, 128, 64};
};

class Table {
 public:
  explicit Table(const std::string& path) : context_(bytes_in_use()) {
    if (path.empty()) return;
    csv_ =
        std::make_unique<Csv>(path, std::vector<std::string>{"grid", "block", "step", "mib", "cells_with_halos_mib"});
  }
  void row(const std::string& grid, std::int64_t block, const std::string& step, double cells) {
    const std::vector<double> now = bytes_in_use();
    double most = 0;
    for (std::size_t d = 0; d < now.size(); ++d) most = std::max(most, (now[d] - context_[d]) / mebi);
    fmt::print("{:<10} {:>5}  {:<12} {:>9.1f} {:>9.1f}\n", grid, block, step, most, cells / mebi);
    if (csv_) {
      csv_->row({grid, std::to_string(block), step, fmt::format("{:.1f}", most), fmt::format("{:.2f}", cells / mebi)});
    }
  }

 private:
  std::vector<double> context_;
  std::unique_ptr<Csv> csv_;
};

void measure(Table& table, std::int64_t block, const Vec3& grid) {
  const std::string name = fmt::format("{}x{}x{}", grid.x, grid.y, grid.z);
  const auto wide = static_cast<double>(block + 2 * radius);
  const double cells = fields * sizeof(float) * wide * wide * wide;
  const auto row = [&](const char* step) { table.row(name, block, step, cells); };
  DomainOptions options;
  options.devices.kind = DeviceKind::cuda;
  options.partition.method = partition::Method::given;
  options.partition.device_grid = grid;
  Domain domain({grid.x * block, grid.y * block, grid.z * block}, Stencil::box(radius), options);
  for (int field = 0; field < fields; ++field) domain.add_field<float>(fmt::format("field {}", field));
  domain.plan();
  row("plan");
  domain.realize();
  row("realize");
  domain.exchange();
  domain.synchronize();
  row("exchange");
  domain.close();
  row("close");
}

int run(const Options& options) {
  Table table(options.out);
  fmt::print("{:<10} {:>5}  {:<12} {:>9} {:>9}\n", "grid", "block", "after", "MiB", "cells MiB");
  const auto devices = static_cast<std::int64_t>(bytes_in_use().size());
  for (const std::int64_t block : options.blocks) {
    measure(table, block, {1, 1, devices});
    if (devices > 1) measure(table, block, {devices, 1, 1});
  }
  return 0;
}

}  // namespace
}  // namespace halocline::bench

int main(int argc, char** argv) {
  using namespace halocline::bench;
  Options options;
  CLI::App app("device memory of a domain, beyond CUDA's context");
  app.add_option("--out", options.out, "CSV file");
  app.add_option("--block", options.blocks, "cells of a device in each dimension")->delimiter(',');
  return run_program(argc, argv, app, [&](halocline::comm::RankGroup& world, const halocline::Environment&) {
    if (world.size() > 1)
      throw halocline::InvalidArgument("bench_memory is one process; it has all GPUs that are visible");
    return run(options);
  });
}
