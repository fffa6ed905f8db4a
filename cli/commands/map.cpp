// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <filesystem>
#include <memory>

#include "comm/agree.hpp"
#include "commands/commands.hpp"
#include "communication.hpp"
#include "core/limits.hpp"
#include "documents.hpp"
#include "halocline/error.hpp"
#include "io/write_file.hpp"
#include "machine_maps.hpp"
#include "mapping.hpp"
#include "parse.hpp"
#include "planning.hpp"
#include "step_kernels.hpp"
#include "table.hpp"

namespace cli {
namespace {

using namespace halocline;

struct MapOptions {
  std::optional<StepKernel> kernel;  ///< of a plan, in place of files
  std::string profile;
  std::string cpu;
  std::string gpu;
  mapping::Strategy strategy = mapping::Strategy::best;
  std::optional<mapping::PhaseMappers> mappers;
  std::optional<double> seconds;
  Words free;
  std::optional<int> nodes;
  bool spread = false;
  std::optional<std::string> format;
  std::string output;
  std::vector<int> cpu_numbers;
};

constexpr const char* json_format = "json";

/// What a plan sends in an exchange, with a rank for each device of its nodes.
mapping::Communication planned_communication(const MapOptions& own, const Options& options,
                                             const machine::MachineMap& machine) {
  Plan plan =
      plan_of_ranks_with_one_device(options, machine, own.nodes.value_or(static_cast<int>(machine.nodes.size())));
  auto routes = assumed_routes(plan, {}, options.device_mpi);
  return communication_of({std::move(plan), std::move(routes), true});
}

Matrices matrices_of(const MapOptions& own, const Options& options, const machine::MachineMap& machine) {
  Matrices matrices;
  if (own.kernel) {
    auto both = planned_communication(own, options, machine);
    matrices.cpu = std::move(both.cpu);
    matrices.gpu = std::move(both.gpu);
  }
  if (!own.profile.empty()) {
    auto both = read_communication_file(own.profile);
    matrices.cpu = std::move(both.cpu);
    matrices.gpu = std::move(both.gpu);
  }
  if (!own.cpu.empty()) matrices.cpu = read_matrix_file(own.cpu);
  if (!own.gpu.empty()) matrices.gpu = read_matrix_file(own.gpu);
  return matrices;
}

void check(const MapOptions& own) {
  const bool has_matrix = !own.cpu.empty() || !own.gpu.empty();
  if (own.kernel && (has_matrix || !own.profile.empty())) {
    refuse_together("--kernel", own.profile.empty() ? "--cpu and --gpu" : "--profile");
  }
  if (has_matrix && !own.profile.empty()) refuse_together("--profile", "--cpu and --gpu, which are its two matrices");
  if (!own.kernel && !has_matrix && own.profile.empty()) {
    refuse_without("'halocline map'",
                   "--profile, --cpu or --gpu, a file of the bytes that the ranks send each other, or --kernel");
  }
  const bool takes_mappers = own.strategy != mapping::Strategy::best && own.strategy != mapping::Strategy::in_order;
  if (own.mappers && !takes_mappers) {
    refuse_without("--mapper",
                   fmt::format("--strategy magc, strategy1 or strategy2; it is {}", mapping::to_string(own.strategy)));
  }
  if (own.nodes && own.spread) refuse_together("--nodes", "--spread, which uses all nodes");
  if (!own.cpu_numbers.empty() && own.format != "slurm" && own.format != "mpich") {
    refuse_without("--cpu-numbers", "--format slurm or mpich");
  }
  if (own.format.has_value() == own.output.empty()) {
    refuse_without(own.format ? "--format" : "--output", own.format ? "--output" : "--format");
  }
}

mapping::Launch written_launch(const MapOptions& own, const machine::MachineMap& machine,
                               const std::vector<mapping::Seat>& seats) {
  std::vector<std::string> names;
  for (const auto launcher : mapping::all_launchers) names.emplace_back(to_string(launcher));
  const auto launcher = mapping::all_launchers[parse_choice("--format", *own.format, names)];
  mapping::Launch launch = mapping::make_launch(launcher, {&machine, seats, own.cpu_numbers});
  std::error_code problem;
  std::filesystem::create_directories(own.output, problem);
  if (problem) refuse("--output", own.output, "a folder that can be written");
  for (const auto& file : launch.files) {
    io::write_file("--output", (std::filesystem::path(own.output) / file.name).string(), file.text,
                   file.executable ? io::FileKind::program : io::FileKind::data);
  }
  return launch;
}

struct Mapped {
  machine::MachineMap machine;
  mapping::JobMapping mapping;
  mapping::JobQuality before;
  mapping::JobQuality after;
  /// On all nodes, where that lowers the maximum congestion and was not asked about.
  std::optional<mapping::JobQuality> spread{};
  int spread_nodes = 0;
};

/// Less congestion by this factor is worth a warning.
constexpr double worth_a_warning = 0.99;

/// Compares with the mapping to all nodes.
void compare_spread(mapping::JobRequest request, Mapped& mapped) {
  if (mapped.mapping.nodes == std::ssize(mapped.machine.nodes)) return;
  request.spread = true;
  const mapping::JobMapping spread = mapping::map_job(request);
  auto quality = mapping::assess(request, spread.seats);
  if (quality.together.maximum() >= worth_a_warning * mapped.after.together.maximum()) return;
  mapped.spread = std::move(quality);
  mapped.spread_nodes = spread.nodes;
}

Mapped map_with(const MapOptions& own, const Options& options, machine::MachineMap machine) {
  Mapped mapped;
  mapped.machine = std::move(machine);
  const Matrices matrices = matrices_of(own, options, mapped.machine);
  mapping::JobRequest request;
  request.machine = &mapped.machine;
  request.cpu = matrices.cpu ? &*matrices.cpu : nullptr;
  request.gpu = matrices.gpu ? &*matrices.gpu : nullptr;
  request.free = parse_free("--free", own.free, mapped.machine);
  request.strategy = own.strategy;
  request.mappers = own.mappers.value_or(mapping::PhaseMappers{});
  request.effort.seconds = own.seconds;
  request.nodes = own.nodes;
  request.spread = own.spread;
  mapped.mapping = mapping::map_job(request);
  mapped.after = mapping::assess(request, mapped.mapping.seats);
  if (!own.nodes && !own.spread) compare_spread(request, mapped);
  request.strategy = mapping::Strategy::in_order;
  mapped.before = mapping::assess(request, mapping::map_job(request).seats);
  return mapped;
}

Json launch_document(const Mapped& mapped, const MapOptions& own, const mapping::Launch& launch) {
  Json document = document_of("map");
  document["machine"] = machine_summary(mapped.machine);
  document["strategy"] = mapping::to_string(own.strategy);
  document["found_by"] = mapping::to_string(mapped.mapping.found_by);
  document["nodes_used"] = mapped.mapping.nodes;
  document["processes_of_a_gpu"] = mapped.mapping.most_sharing;
  document["before"] = quality_json(mapped.before);
  document["after"] = quality_json(mapped.after);
  if (mapped.spread) {
    document["spread"] = quality_json(*mapped.spread);
    document["spread"]["nodes_used"] = mapped.spread_nodes;
  }
  document["processes"] = seats_json(mapped.machine, mapped.mapping.seats);
  if (!launch.command.empty()) {
    document["launch"] = {{"command", launch.command}, {"notes", launch.notes}};
  }
  return document;
}

/// "2 nodes", or "2 of 8 nodes".
std::string nodes_text(const Mapped& mapped) {
  const auto all = std::ssize(mapped.machine.nodes);
  const std::string nodes = plural(all, "node");
  return mapped.mapping.nodes == all ? nodes : fmt::format("{} of {}", mapped.mapping.nodes, nodes);
}

std::string text_of(const Mapped& mapped, const MapOptions& own) {
  const double before = mapped.before.together.maximum();
  const double after = mapped.after.together.maximum();
  std::string text = fmt::format("{} mapped onto {} of {} by {}\n", plural(std::ssize(mapped.mapping.seats), "rank"),
                                 nodes_text(mapped), mapped.machine.name, mapping::to_string(mapped.mapping.found_by));
  if (mapped.mapping.most_sharing > 1) {
    text += fmt::format("more ranks than GPUs: up to {} ranks share one\n", mapped.mapping.most_sharing);
  }
  text += fmt::format("maximum congestion {}, in order {}; bytes times hops {}, in order {}\n\n", seconds_text(after),
                      seconds_text(before), bytes_text(mapped.after.together.hop_bytes),
                      bytes_text(mapped.before.together.hop_bytes));
  if (mapped.spread) {
    text += fmt::format(
        "warning: on {} (--spread) the maximum congestion is {} instead of {}, bytes times hops {} instead of {}\n\n",
        plural(mapped.spread_nodes, "node"), seconds_text(mapped.spread->together.maximum()), seconds_text(after),
        bytes_text(mapped.spread->together.hop_bytes), bytes_text(mapped.after.together.hop_bytes));
  }
  text += quality_table(mapped.before, mapped.after) + "\n" + seats_table(mapped.machine, mapped.mapping.seats);
  if (!own.output.empty()) text += fmt::format("\nwritten to {}\n", own.output);
  return text;
}

int run_map(Context& context, const MapOptions& own) {
  comm::agree_on(context.world, [&] { check(own); });
  machine::MachineMap machine;
  if (!context.options.machine_file) machine = machine_of(context);
  Mapped mapped;
  mapping::Launch launch;
  comm::agree_on(context.world, [&] {
    if (!context.root()) return;
    // Unchanged: mapping assigns cores and GPUs itself, whatever ranks the map has.
    if (context.options.machine_file) machine = read_machine(*context.options.machine_file);
    mapped = map_with(own, context.options, std::move(machine));
    if (own.format == json_format) {
      io::write_file("--output", own.output, cli::text_of(launch_document(mapped, own, launch)) + "\n");
    } else if (own.format) {
      launch = written_launch(own, mapped.machine, mapped.mapping.seats);
    }
  });
  if (!context.root()) return 0;
  context.print_document(launch_document(mapped, own, launch));
  context.print_text(text_of(mapped, own));
  if (!launch.command.empty()) context.print_lines(fmt::format("start it there with: {}\n", launch.command));
  for (const auto& note : launch.notes) context.print_text(fmt::format("note: {}\n", note));
  return 0;
}

void add_decisions(CLI::App& command, const std::shared_ptr<MapOptions>& own) {
  constexpr const char* group = "Decisions";
  add_choice(
      command, "--strategy", "NAME",
      "best (default), magc, strategy1 (nodes by the CPU matrix alone), strategy2 (and GPUs in order), or default "
      "(everything in order)",
      own->strategy, choices_of(mapping::all_strategies))
      ->group(group);
  add_words(command, "--mapper", "NAME", 3,
            "of magc, strategy1 and strategy2, for all phases or three for nodes, cores and GPUs: default, partition, "
            "scotch, greedy or congestion (default partition,greedy,greedy)",
            [own](const auto& name, const auto& words) { own->mappers = parse_mappers(name, words); })
      ->group(group);
  add_positive(
      command, "--seconds", "S",
      "time limit of each refinement (default: a fixed number of trials, with the same result on every machine)",
      own->seconds, 1e6)
      ->group(group);
  add_integer(command, "--nodes", "N",
              "use at most N nodes, with GPUs shared where there are too few (default: as few as hold the job with a "
              "GPU for each rank, if there are that many)",
              own->nodes, 1, limits::nodes)
      ->group(group);
  add_flag(command, "--spread", "use any number of nodes", own->spread)->group(group);
  add_words(command, "--free", "NODE:CORES:DEVICES", 1 << 20,
            "free cores and devices of a node, e.g. n0:0-11:0,1 (default: all)",
            [own](const auto&, const auto& words) { own->free = words; })
      ->group(group);
}

void add_launch(CLI::App& command, const std::shared_ptr<MapOptions>& own) {
  constexpr const char* group = "Launch";
  add_word(command, "--format", "NAME", "format of --output: openmpi-rankfile, slurm, mpich or json",
           [own](const auto& name, const auto& word) {
             std::vector<std::string> names;
             for (const auto launcher : mapping::all_launchers) names.emplace_back(to_string(launcher));
             names.emplace_back(json_format);
             static_cast<void>(parse_choice(name, word, names));
             own->format = word;
           })
      ->group(group);
  add_text(command, "--output", "PATH", "folder to write to; for json, a file", own->output)->group(group);
  add_word(command, "--cpu-numbers", "LIST",
           "the operating system's number of each core of a node, e.g. 0,2,4,6,1,3,5,7, for --format slurm and mpich",
           [own](const auto& name, const auto& word) { own->cpu_numbers = parse_numbers(name, word); })
      ->group(group);
}

/// A plan by the name of its kernel and its size.
void add_plan(CLI::App& command, Options& options, const std::shared_ptr<MapOptions>& own) {
  Choices<StepKernel> choices;
  for (const StepKernel& kernel : step_kernels()) choices.emplace_back(kernel.name, kernel);
  add_word(
      command, "--kernel", "NAME",
      "map Halocline's own plan, without a file: jacobi3d, laplace3d, mhd, or custom with --fields and --radius; a "
      "rank for each device of --nodes nodes (default: of all)",
      [own, &options, choices](const auto& name, const auto& word) {
        own->kernel = parse_choice(name, word, choices);
        if (own->kernel->fields.empty()) return;
        options.fields = parse_fields("--fields", own->kernel->fields);
        options.stencil = own->kernel->stencil;
      });
  add_size_option(command, options);
  add_stencil_options(command, options);
  add_partition_options(command, options);
  add_device_mpi_option(command, options);
}

/// Options of a plan that are given without one, or that its kernel decides.
void check_plan(const CLI::App& command, const MapOptions& own) {
  if (own.kernel) {
    for (const char* name : {"--fields", "--radius"}) {
      if (!own.kernel->fields.empty() && command.count(name) > 0) {
        refuse_together(name, fmt::format("--kernel {}", own.kernel->name));
      }
    }
    return;
  }
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    const bool of_plan = option->get_group() == "Domain" || name == "--device-mpi" || name.ends_with("partition") ||
                         name == "--ties" || name == "--weights" || name.ends_with("-grid");
    if (of_plan && option->count() > 0) refuse_without(name, "--kernel: the plan that is mapped");
  }
}

}  // namespace

void add_map_command(CLI::App& app, Options& options, Command& chosen) {
  auto* command = app.add_subcommand("map", "map the ranks of any MPI program to nodes, cores and GPUs");
  auto own = std::make_shared<MapOptions>();
  add_text(*command, "--profile", "CSV", "bytes between ranks, as halocline profile writes them", own->profile);
  add_text(*command, "--cpu", "CSV", "matrix of the bytes that ranks send from CPU memory", own->cpu);
  add_text(*command, "--gpu", "CSV", "matrix of the bytes that ranks send from GPU memory", own->gpu);
  add_text(*command, "--machine", "MAP", "a machine map: a file, or a name, e.g. summit (default: the machine at hand)",
           options.machine_file);
  add_plan(*command, options, own);
  add_decisions(*command, own);
  add_launch(*command, own);
  add_output_options(*command, options);
  add_examples(*command, {"halocline route --machine summit --nodes 2 --size 512 --communication pairs.csv",
                          "halocline map --machine summit --profile pairs.csv",
                          "halocline map --machine puhti --kernel mhd --size 512 --nodes 4"});
  command->callback([&chosen, command, own] {
    check_plan(*command, *own);
    chosen = [own](Context& context) { return run_map(context, *own); };
  });
}

}  // namespace cli
