#include <fmt/core.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

#include "commands/commands.hpp"
#include "commands/run.hpp"
#include "documents.hpp"
#include "halocline/core/error.hpp"
#include "jacobi3d/jacobi3d.hpp"
#include "picture.hpp"
#include "planning.hpp"
#include "table.hpp"

namespace cli {
namespace {

using namespace halocline;

struct JacobiOptions {
  jacobi3d::Settings settings;
  bool doubles = false;
  bool check = false;
  bool try_multipliers = false;
  bool halo_in_x = false;
  std::optional<std::string> picture;
};

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

/// Finds out before the work, not after it, that a picture cannot be written. Collective.
void check_picture(Context& context, const JacobiOptions& wanted) {
  comm::agree_on(context.world, [&] {
    if (!wanted.picture || !context.root()) return;
    if (!can_write_png()) write_png({}, *wanted.picture);
    std::FILE* file = std::fopen(wanted.picture->c_str(), "ab");
    if (file == nullptr) refuse("--picture", *wanted.picture, "a file that can be written");
    std::fclose(file);
  });
}

/// The plane z = middle, as a PNG on rank 0. Collective.
template <typename T>
void write_slice(Context& context, jacobi3d::Solver<T>& solver, const std::string& path) {
  const Vec3& size = context.options.size;
  const std::int64_t middle = size.z / 2;
  const std::vector<T> plane = solver.gather({{0, 0, middle}, {size.x, size.y, middle + 1}});
  comm::agree_on(context.world, [&] {
    if (!context.root()) return;
    const std::vector<double> values(plane.begin(), plane.end());
    write_png(paint(values, size.x, size.y, jacobi3d::cold, jacobi3d::hot, 512), path);
  });
}

std::string_view note_of(jacobi3d::Halos halos) {
  switch (halos) {
    case jacobi3d::Halos::exchanged: return "";
    case jacobi3d::Halos::overlapped: return " beyond what the interior hides";
    case jacobi3d::Halos::stored: return ", which kernels store";
  }
  return "";
}

std::string result_text(const jacobi3d::Result& result) {
  const auto& t = result.timings;
  return fmt::format(
      "steps       {}{}\n"
      "rate        {} cell updates per second\n"
      "total       {}  (slowest rank)\n"
      "compute     {}  (in kernels; mean over subdomains, waiting for a core included)\n"
      "exchange    {}  (waiting for halos{}; mean over subdomains)\n"
      "residual    max {:.3e}, L2 {:.3e}\n",
      result.steps, result.converged ? ", converged" : "", count_text(result.updates_per_second),
      seconds_text(seconds(t.total)), seconds_text(seconds(t.compute)), seconds_text(seconds(t.exchange)),
      note_of(result.halos), result.residual.max, result.residual.l2);
}

Json result_json(const jacobi3d::Result& result) {
  return {{"steps", result.steps},
          {"converged", result.converged},
          {"updates_per_second", result.updates_per_second},
          {"total_s", seconds(result.timings.total)},
          {"compute_s", seconds(result.timings.compute)},
          {"exchange_s", seconds(result.timings.exchange)},
          {"residual", {{"max", result.residual.max}, {"l2", result.residual.l2}}}};
}

std::string trials_text(const std::vector<jacobi3d::Trial>& trials) {
  std::string text = "halos       tried:";
  for (const auto& trial : trials) {
    text += fmt::format("{} {} a step with multiplier {}", &trial == trials.data() ? "" : ",",
                        seconds_text(seconds(trial.step)), trial.halo_multiplier);
  }
  return text + "\n\n";
}

std::string check_text(const jacobi3d::Check& check) {
  if (check.passed())
    return fmt::format("check       passed: {} cells, bit for bit as the serial solution\n", check.cells);
  return fmt::format("check       FAILED: {} of {} cells differ from the serial solution, by at most {:.3e}\n",
                     check.different, check.cells, check.largest_difference);
}

template <typename T>
int run_jacobi(Context& context, const JacobiOptions& wanted) {
  check_picture(context, wanted);
  Options& options = context.options;
  options.radius = jacobi3d::radius();
  options.no_edges = options.no_corners = true;
  if (!wanted.halo_in_x) options.boundaries = jacobi3d::boundaries;
  std::vector<jacobi3d::Trial> trials;
  if (wanted.try_multipliers) {
    trials = jacobi3d::try_halo_multipliers<T>(options.size, context.world, domain_options(context), wanted.settings);
    options.halo_multiplier = trials.front().halo_multiplier;
    context.print_text(trials_text(trials));
  }
  Domain domain(options.size, options.radius, context.world, domain_options(context));
  const auto field = domain.add_field<T>("temperature", buffers::two);
  domain.realize();
  options.fields = domain.geometry().fields;

  const auto routes = domain.gather_routes();
  context.print_text(explain(domain.plan(), routes));
  context.print_text(fmt::format("\ndevices     {}\n", devices_text(domain)));

  jacobi3d::Solver<T> solver(domain, field);
  solver.initialise();
  std::optional<ProgressBar> bar;
  if (context.root()) bar.emplace("jacobi3d", wanted.settings.steps, options.progress);
  const auto result = solver.run(wanted.settings, [&bar](const jacobi3d::Progress& progress) {
    if (!bar) return;
    bar->update(progress.step, progress.residual ? fmt::format("residual {:.1e}", progress.residual->max) : "");
  });
  bar.reset();

  Json document = document_of("run jacobi3d");
  document["domain"] = domain_json(options);
  document["machine"] = machine_summary(domain.plan().machine);
  document["backend"] = backend_name(domain);
  document["partition"] = partition_json(domain.plan());
  document["placement"] = placement_json(domain.plan());
  document["routes"] = routes_json(routes);
  document["transports"] = shares_json(shares_of(routes));
  document["halos"] = to_string(result.halos);
  document["graph"] = wanted.settings.graph;
  for (const auto& [multiplier, step] : trials) {
    document["halo_trials"].push_back({{"halo_multiplier", multiplier}, {"step_s", seconds(step)}});
  }
  document["result"] = result_json(result);
  context.print_text(result_text(result));

  bool passed = true;
  if (wanted.check) {
    const auto check = jacobi3d::check(domain, solver, result.steps);
    passed = check.passed();
    document["check"] = {{"passed", passed},
                         {"cells", check.cells},
                         {"different", check.different},
                         {"largest_difference", check.largest_difference}};
    context.print_text(check_text(check));
  }
  if (wanted.picture) {
    write_slice(context, solver, *wanted.picture);
    document["picture"] = *wanted.picture;
    context.print_text(fmt::format("picture     {} (the plane z = {})\n", *wanted.picture, options.size.z / 2));
  }
  domain.close();
  context.print_document(document);
  return passed ? 0 : 1;
}

void add_jacobi_options(CLI::App& command, Options& options, JacobiOptions& own) {
  const std::string group = "Jacobi";
  auto& settings = own.settings;
  add_word(command, "--steps", "N", "steps, at most (default 200)", [&settings](const auto& name, const auto& word) {
    settings.steps = parse_integer(name, word, 1, std::int64_t{1} << 40);
  })->group(group);
  add_word(command, "--precision", "TYPE", "f32 (default) or f64", [&own](const auto& name, const auto& word) {
    own.doubles = parse_choice(name, word, {"f32", "f64"}) == 1;
  })->group(group);
  command
      .add_flag_callback(
          "--overlap", [&settings] { settings.halos = jacobi3d::Halos::overlapped; },
          "update the interior while halos are under way; without any of these flags, runs of 200 steps or more "
          "try all three ways first")
      ->disable_flag_override()
      ->group(group);
  command
      .add_flag_callback(
          "--store-halos", [&settings] { settings.halos = jacobi3d::Halos::stored; },
          "have kernels store faces in y and z in the neighbours' halos, where their memory is mapped")
      ->disable_flag_override()
      ->group(group);
  command
      .add_flag_callback(
          "--no-overlap", [&settings] { settings.halos = jacobi3d::Halos::exchanged; },
          "update all cells after the halos are there")
      ->disable_flag_override()
      ->group(group);
  command
      .add_flag("--graph", settings.graph,
                "record a cycle of steps and replay it as one launch (no route may need the host)")
      ->disable_flag_override()
      ->group(group);
  add_word(command, "--halo-multiplier", "K",
           "exchange halos of K cells once in K steps (default 1); auto: try 1, 2 and 4 first",
           [&options, &own](const auto& name, const auto& word) {
             own.try_multipliers = word == "auto";
             if (own.try_multipliers) return;
             if (word.find_first_not_of("0123456789") != std::string::npos) {
               refuse(name, word, "auto, or a whole number of 1 or more");
             }
             options.halo_multiplier = static_cast<int>(parse_integer(name, word, 1, most_halo_multiplier));
           })
      ->group(group);
  command
      .add_flag(
          "--halo-in-x", own.halo_in_x,
          "exchange halos in x even where a device has whole rows, whose ends the kernel can wrap around by itself")
      ->disable_flag_override()
      ->group(group);
  add_word(command, "--residual-every", "K",
           "steps between residuals (default 0: only after the last step; "
           "10 with --tolerance)",
           [&settings](const auto& name, const auto& word) {
             settings.residual_every = parse_integer(name, word, 0, std::int64_t{1} << 40);
           })
      ->group(group);
  add_word(command, "--tolerance", "T", "stop once no cell changes by as much in a step",
           [&settings](const auto& name, const auto& word) { settings.tolerance = parse_positive(name, word, 1); })
      ->group(group);
  command.add_flag("--check", own.check, "compare with a serial solution, bit for bit; exit code 1 where they differ")
      ->disable_flag_override()
      ->group(group);
  add_word(command, "--picture", "FILE", "write the middle plane as a PNG", [&own](const auto&, const auto& word) {
    own.picture = word;
  })->group(group);
}

}  // namespace

void add_run_command(CLI::App& app, Options& options, Command& chosen) {
  auto* run = app.add_subcommand("run", "run an application on the machine at hand");
  run->require_subcommand(1);
  auto* jacobi = run->add_subcommand("jacobi3d", "heat between a hot and a cold sphere: 7-point average, periodic");
  add_size_option(*jacobi, options);
  add_machine_options(*jacobi, options);
  add_decision_options(*jacobi, options);
  add_output_options(*jacobi, options);
  add_progress_option(*jacobi, options);
  auto own = std::make_shared<JacobiOptions>();
  add_jacobi_options(*jacobi, options, *own);
  jacobi->callback([&chosen, own] {
    if (own->settings.tolerance > 0 && own->settings.residual_every == 0) own->settings.residual_every = 10;
    chosen = [own](Context& context) {
      return own->doubles ? run_jacobi<double>(context, *own) : run_jacobi<float>(context, *own);
    };
  });
  add_run_laplace3d(*run, options, chosen);
  add_run_mhd(*run, options, chosen);
}

}  // namespace cli
