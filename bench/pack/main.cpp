// SPDX-License-Identifier: BSD-3-Clause
// bench_pack [--out FILE] [--block 512,256,...]: what it takes to pack and unpack a halo, by direction and shape, and
// what other ways of moving it take: without packing, through pinned memory, in kernels that store to or load from the
// peer. One process; the second device is the peer.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "device/backend.hpp"
#include "domain/internals.hpp"
#include "pack/methods.hpp"
#include "support/csv.hpp"
#include "support/program.hpp"
#include "support/sampling.hpp"

namespace halocline::bench {
namespace {

struct Options {
  std::string out;
  std::vector<std::int64_t> blocks{512, 256, 128, 64};
  std::vector<std::string> elements{"f32", "f64"};
  std::int64_t radius = 3;
  int devices = 2;
  int repeats = 5;
  int operations = 10;  ///< in a launch
};

class Table {
 public:
  explicit Table(const std::string& path) {
    if (!path.empty()) {
      csv_ = std::make_unique<Csv>(
          path, std::vector<std::string>{"study", "method", "backend", "block", "element", "radius", "direction",
                                         "bytes", "repeats", "min_s", "median_s", "max_s", "gb_per_s"});
    }
  }
  void row(const std::string& method, const std::string& backend, std::int64_t block, const std::string& element,
           std::int64_t radius, const std::string& direction, std::int64_t bytes, std::span<const double> seconds) {
    const Spread spread = spread_of(seconds);
    const double rate = static_cast<double>(bytes) / spread.median * 1e-9;
    fmt::print("{:<34} {:>5} {:>4} {:>8} {:>12} {:>10.2f} {:>9.1f}\n", method, block, element, direction, bytes,
               spread.median * 1e6, rate);
    std::fflush(stdout);
    if (!csv_) return;
    csv_->row({"pack", method, backend, std::to_string(block), element, std::to_string(radius), direction,
               std::to_string(bytes), std::to_string(seconds.size()), fmt::format("{:.9f}", spread.min),
               fmt::format("{:.9f}", spread.median), fmt::format("{:.9f}", spread.max), fmt::format("{:.3f}", rate)});
  }

 private:
  std::unique_ptr<Csv> csv_;
};

/// Seconds of one operation.
std::vector<double> timed(device::Backend& backend, const Method& method, const HaloBoxes& boxes,
                          const Options& options) {
  const auto enqueue = method.prepare(boxes);
  const auto stream = backend.create_stream(method.device);
  const auto begin = backend.create_event(method.device, device::Timing::on);
  const auto end = backend.create_event(method.device, device::Timing::on);
  std::unique_ptr<device::Graph> graph;
  if (method.in_a_graph) {
    stream->begin_capture();
    for (int i = 0; i < options.operations; ++i) enqueue(*stream);
    graph = stream->end_capture();
  }
  const auto enqueue_all = [&] {
    if (graph) return stream->launch(*graph);
    for (int i = 0; i < options.operations; ++i) enqueue(*stream);
  };
  enqueue_all();
  stream->synchronize();
  std::vector<double> seconds;
  for (int i = 0; i < options.repeats; ++i) {
    stream->record(*begin);
    enqueue_all();
    stream->record(*end);
    stream->synchronize();
    seconds.push_back(std::chrono::duration<double>(end->since(*begin)).count() / options.operations);
  }
  return seconds;
}

/// The arrays are a domain's, so that rows lie as they do in the exchange.
struct Arrays {
  Domain domain;
  field_id field;
  std::vector<std::unique_ptr<device::Buffer>> buffers;
  Place place;

  Arrays(comm::RankGroup& world, const Environment& environment, const Options& options, std::int64_t block,
         Element element)
      : domain({block, block, block * options.devices}, Stencil::box(options.radius), world,
               domain_options(environment, options)) {
    FieldDescriptor descriptor;
    descriptor.name = "u";
    descriptor.element = element;
    field = domain.add_field(descriptor);
    domain.realize();
    const auto subdomains = domain.subdomains();
    auto& backend = internals(domain).backend();
    place.backend = &backend;
    place.radius = options.radius;
    place.sender = subdomains.front().bytes(field);
    place.receiver = subdomains.back().bytes(field);
    place.sender_device = subdomains.front().device();
    place.receiver_device = subdomains.back().device();
    const std::vector<Direction> all(all_directions.begin(), all_directions.end());
    const auto bytes = static_cast<std::size_t>(
        boxes_towards(all, Vec3::filled(block), options.radius, bytes_of(element)).buffer_bytes);
    place.sender_buffer = keep(backend.allocate(place.sender_device, bytes));
    place.sender_second_buffer = keep(backend.allocate(place.sender_device, bytes));
    place.receiver_buffer = keep(backend.allocate(place.receiver_device, bytes));
    place.pinned = keep(backend.allocate_pinned(bytes));
    if (place.two_devices()) {
      // Asking enables it, too.
      const auto put = backend.peer_access(place.sender_device, place.receiver_device);
      const auto get = backend.peer_access(place.receiver_device, place.sender_device);
      if (!put.yes || !get.yes) throw CapabilityError("no peer access: " + (put.yes ? get : put).why_not);
    }
  }
  Arrays(const Arrays&) = delete;
  Arrays& operator=(const Arrays&) = delete;
  ~Arrays() = default;

 private:
  static DomainOptions domain_options(const Environment& environment, const Options& options) {
    DomainOptions domain = DomainOptions::from(environment);
    domain.devices.per_rank = options.devices;
    domain.partition.method = partition::Method::given;
    domain.partition.node_grid = Vec3::filled(1);
    domain.partition.device_grid = Vec3{1, 1, options.devices};
    return domain;
  }
  std::byte* keep(std::unique_ptr<device::Buffer> buffer) {
    buffers.push_back(std::move(buffer));
    return buffers.back()->data();
  }
};

void measure(Table& table, const Options& options, const Place& place, const Method& method, std::int64_t block,
             Element element) {
  const auto measure_boxes = [&](const std::vector<Direction>& directions, const std::string& name) {
    const auto boxes = boxes_towards(directions, Vec3::filled(block), options.radius, bytes_of(element));
    std::int64_t bytes = 0;
    for (const auto& box : boxes.boxes) bytes += box.bytes;
    table.row(method.name, std::string(to_string(place.backend->kind())), block, std::string(to_string(element)),
              options.radius, name, bytes, timed(*place.backend, method, boxes, options));
  };
  const std::vector<Direction> all(all_directions.begin(), all_directions.end());
  for (const Direction d : method.every_direction ? all : one_of_each_shape()) measure_boxes({d}, short_name(d));
  if (method.all_at_once) measure_boxes(all, "all");
}

int run(comm::RankGroup& world, const Environment& environment, const Options& options) {
  if (world.size() != 1) throw InvalidArgument(fmt::format("bench_pack has {} ranks; allowed is 1", world.size()));
  Table table(options.out);
  fmt::print("{:<34} {:>5} {:>4} {:>8} {:>12} {:>10} {:>9}\n", "method", "block", "type", "sent to", "bytes", "us",
             "GB/s");
  for (const auto& name : options.elements) {
    const Element element = element_from_string(name);
    for (const auto block : options.blocks) {
      Arrays arrays(world, environment, options, block, element);
      auto methods = library_methods(arrays.place);
      for (auto& method : memcpy3d_methods(arrays.place)) methods.push_back(std::move(method));
      for (const auto& method : methods) measure(table, options, arrays.place, method, block, element);
      methods.clear();
      arrays.buffers.clear();
      arrays.domain.close();
    }
  }
  return 0;
}

}  // namespace
}  // namespace halocline::bench

int main(int argc, char** argv) {
  namespace bench = halocline::bench;
  CLI::App app("packing and unpacking halos, and ways around it", "bench_pack");
  bench::Options options;
  app.add_option("--out", options.out, "CSV file to add to");
  app.add_option("--block", options.blocks, "cells of a device, cubed; several (default 512,256,128,64)")
      ->delimiter(',')
      ->check(CLI::Range(1, 1 << 12));
  app.add_option("--element", options.elements, "several (default f32,f64)")->delimiter(',');
  app.add_option("--radius", options.radius)->check(CLI::Range(1, 64));
  app.add_option("--devices", options.devices, "1, or 2 with a peer (default)")->check(CLI::Range(1, 2));
  app.add_option("--repeats", options.repeats, "launches that are timed (default 5)")->check(CLI::Range(1, 10'000));
  app.add_option("--operations", options.operations, "in each launch (default 10)")->check(CLI::Range(1, 1000));
  return bench::run_program(argc, argv, app,
                            [&](halocline::comm::RankGroup& world, const halocline::Environment& environment) {
                              return bench::run(world, environment, options);
                            });
}
