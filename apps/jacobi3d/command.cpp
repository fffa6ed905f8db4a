// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <memory>
#include <optional>
#include <vector>

#include "cli/documents.hpp"
#include "cli/outputs.hpp"
#include "cli/picture.hpp"
#include "cli/planning.hpp"
#include "cli/table.hpp"
#include "comm/agree.hpp"
#include "common/command_files.hpp"
#include "halocline/error.hpp"
#include "jacobi3d/command.hpp"
#include "jacobi3d/command_run.hpp"
#include "jacobi3d/jacobi3d.hpp"

namespace apps {

using namespace cli;
using namespace halocline;

namespace {

struct JacobiOptions {
  jacobi3d::Settings settings;
  bool doubles = false;
  bool check = false;
  bool try_steps_per_exchange = false;
  bool halo_in_x = false;
  std::optional<std::string> picture;
  FileOptions files;
};

constexpr std::int64_t most_steps = std::int64_t{1} << 40;

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

/// Finds out before the work, not after it, that a picture cannot be written. Collective.
void check_picture(Context& context, const JacobiOptions& wanted) {
  if (!wanted.picture) return;
  if (!can_write_png()) static_cast<void>(png_of({}));
  check_output(context, "--picture", *wanted.picture);
}

/// The plane z = middle, as a PNG on rank 0. Collective.
template <typename T>
void write_slice(Context& context, jacobi3d::Solver<T>& solver, const std::string& path) {
  const Vec3& size = context.options.size;
  const std::int64_t middle = size.z / 2;
  const std::vector<T> plane = solver.gather({{0, 0, middle}, {size.x, size.y, middle + 1}});
  std::string png;
  comm::agree_on(context.world, [&] {
    if (!context.root()) return;
    const std::vector<double> values(plane.begin(), plane.end());
    png = png_of(paint(values, size.x, size.y, jacobi3d::cold, jacobi3d::hot, 512));
  });
  write_output(context, "--picture", path, png);
}

std::string_view note_of(jacobi3d::Halos halos) {
  switch (halos) {
    case jacobi3d::Halos::exchanged:
    case jacobi3d::Halos::awaited: return "";
    case jacobi3d::Halos::overlapped: return " beyond what the interior hides";
  }
  return "";
}

std::string parts_text(const jacobi3d::Result& result) {
  const auto& parts = result.timings.parts;
  if (!parts) return "parts       not measured: steps are replayed, await halos within kernels, or were too few\n";
  return fmt::format(
      "compute     {}  (in kernels; mean over subdomains, waiting for a core included)\n"
      "exchange    {}  (waiting for halos{}; mean over subdomains)\n",
      seconds_text(seconds(parts->compute)), seconds_text(seconds(parts->exchange)), note_of(result.halos));
}

std::string result_text(const jacobi3d::Result& result) {
  return fmt::format(
      "steps       {}{}\n"
      "rate        {} cell updates per second\n"
      "total       {}  (slowest rank)\n"
      "{}"
      "residual    max {:.3e}, L2 {:.3e}\n",
      result.steps, result.converged ? ", converged" : "", count_text(result.updates_per_second),
      seconds_text(seconds(result.timings.total)), parts_text(result), result.residual->max, result.residual->l2);
}

Json result_json(const jacobi3d::Result& result) {
  Json document{{"steps", result.steps},
                {"converged", result.converged},
                {"updates_per_second", result.updates_per_second},
                {"total_s", seconds(result.timings.total)}};
  if (const auto& parts = result.timings.parts) {
    document["compute_s"] = seconds(parts->compute);
    document["exchange_s"] = seconds(parts->exchange);
  }
  document["residual"] = {{"max", result.residual->max}, {"l2", result.residual->l2}};
  return document;
}

std::string trials_text(const std::vector<jacobi3d::Trial>& trials) {
  std::string text = "halos       tried, by steps per exchange:";
  for (const auto& trial : trials) {
    text += fmt::format("{} {}: {} a step", &trial == trials.data() ? "" : ",", trial.steps_per_exchange,
                        seconds_text(seconds(trial.step)));
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
  RunTrace trace(context);
  Options& options = context.options;
  options.stencil = jacobi3d::stencil();
  options.no_edges = options.no_corners = true;
  if (!wanted.halo_in_x) options.boundaries = jacobi3d::boundaries;
  if (!options.domains_at_once) options.domains_at_once = 1;  // the solver's, or a trial's
  std::vector<jacobi3d::Trial> trials;
  if (wanted.try_steps_per_exchange) {
    trials =
        jacobi3d::try_steps_per_exchanges<T>(options.size, context.world, domain_options(context), wanted.settings);
    options.steps_per_exchange = trials.front().steps_per_exchange;
    context.print_text(trials_text(trials));
  }
  Domain domain(options.size, options.stencil, context.world, domain_options(context));
  const auto field = domain.add_field<T>("temperature", {.buffers = 2});
  domain.realize();
  options.fields = internals(domain).geometry().fields;

  const auto routes = internals(domain).gather_routes();
  context.print_text(explain(internals(domain).plan(), routes));
  context.print_text(fmt::format("\ndevices     {}\n", devices_text(domain)));

  jacobi3d::Solver<T> solver(domain, field);
  solver.initialise();
  std::optional<RunFiles> files(std::in_place, context, domain, wanted.files,
                                RunFiles::Run{.app = "jacobi3d", .steps = wanted.settings.steps});
  trace.set_steps(files->first_step(), wanted.settings.steps, traced_exchanges * options.steps_per_exchange);
  std::optional<ProgressBar> bar;
  if (context.root()) bar.emplace("jacobi3d", wanted.settings.steps, options.progress);
  const auto result = run_with_files(domain, *files, trace, wanted.settings, [&](const jacobi3d::Settings& part) {
    return solver.run(part, [&bar, done = part.first](const jacobi3d::Progress& progress) {
      if (!bar) return;
      const auto& residual = progress.residual;
      bar->update(done + progress.step, residual ? fmt::format("residual {:.1e}", residual->max) : "");
    });
  });
  bar.reset();
  const std::int64_t restarted_at = files->first_step();
  files.reset();

  Json document = document_of("run jacobi3d");
  document["domain"] = domain_json(options);
  document["machine"] = machine_summary(internals(domain).plan().machine);
  document["backend"] = backend_name(domain);
  document["partition"] = partition_json(internals(domain).plan());
  document["placement"] = placement_json(internals(domain).plan());
  document["routes"] = routes_json(routes);
  document["transports"] = shares_json(shares_of(routes));
  document["halos"] = to_string(result.halos);
  document["graph"] = wanted.settings.graph;
  for (const auto& [steps_per_exchange, step] : trials) {
    document["halo_trials"].push_back({{"steps_per_exchange", steps_per_exchange}, {"step_s", seconds(step)}});
  }
  document["result"] = result_json(result);
  if (wanted.files.restart) {
    document["restarted_at"] = restarted_at;
    context.print_text(fmt::format("restarted   after step {}\n", restarted_at));
  }
  context.print_text(result_text(result));
  trace.report(context, document);

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
  add_integer(command, "--steps", "N", "maximum number of steps (default 200)", settings.steps, 1, most_steps)
      ->group(group);
  add_choice(command, "--precision", "TYPE", "f32 (default) or f64", own.doubles,
             Choices<bool>{{"f32", false}, {"f64", true}})
      ->group(group);
  add_flag(command, "--overlap",
           "update the interior during the exchange; without any of these three flags, runs of 200 steps or more "
           "first time all of them, 24 steps each, unless files are due before",
           [&settings] { settings.halos = jacobi3d::Halos::overlapped; })
      ->group(group);
  add_flag(command, "--await-halos",
           "update all cells by a kernel that starts with the exchange, and awaits it where it reads halos: on GPUs, "
           "in f32, where x and y are not cut",
           [&settings] { settings.halos = jacobi3d::Halos::awaited; })
      ->group(group);
  add_flag(command, "--no-overlap", "update all cells after the exchange", [&settings] {
    settings.halos = jacobi3d::Halos::exchanged;
  })->group(group);
  add_flag(command, "--graph",
           "capture a cycle of steps, and replay it as one launch (not with transports that need the host)",
           settings.graph)
      ->group(group);
  add_word(command, "--steps-per-exchange", "K",
           "exchange halos of K cells once in K steps (default 1); auto: time 1, 2 and 4 first",
           [&options, &own](const auto& name, const auto& word) {
             own.try_steps_per_exchange = word == "auto";
             if (own.try_steps_per_exchange) return;
             if (word.find_first_not_of("0123456789") != std::string::npos) {
               refuse(name, word, "auto, or a whole number of 1 or more");
             }
             options.steps_per_exchange = static_cast<int>(parse_integer(name, word, 1, most_steps_per_exchange));
           })
      ->group(group);
  add_flag(command, "--halo-in-x", "exchange halos in x even if x is not cut, where the kernel could wrap around",
           own.halo_in_x)
      ->group(group);
  add_integer(command, "--residual-every", "K",
              "steps between residuals (default 0: only after the last step; 10 with --tolerance)",
              settings.residual_every, 0, most_steps)
      ->group(group);
  add_positive(command, "--tolerance", "T", "stop when no cell changes by T or more in a step", settings.tolerance, 1)
      ->group(group);
  add_flag(command, "--check", "compare with a serial solution, bit for bit; exit code 1 if they differ", own.check)
      ->group(group);
  add_text(command, "--picture", "FILE", "write the middle plane as a PNG", own.picture)->group(group);
  add_file_options(command, "jacobi3d", own.files);
}

class Jacobi : public App {
 public:
  [[nodiscard]] std::string name() const override { return "jacobi3d"; }
  [[nodiscard]] std::string description() const override {
    return "heat between a hot and a cold sphere: 7-point average, periodic";
  }
  [[nodiscard]] std::vector<std::string> examples() const override {
    return {"halocline run jacobi3d --size 64 --devices 4 --steps 100 --check",
            "mpirun -n 2 halocline run jacobi3d --size 64 --devices-per-rank 2 --steps 100 --overlap"};
  }
  void add_options(CLI::App& command, Options& options) override {
    add_decision_options(command, options);
    add_progress_option(command, options);
    add_jacobi_options(command, options, own_);
  }
  int run(Context& context) override {
    refuse_traced(context.options, own_.settings.graph, "--graph, whose steps are replayed");
    refuse_traced(context.options, own_.settings.tolerance > 0, "--tolerance, with which the last step is not known");
    if (own_.settings.tolerance > 0 && own_.settings.residual_every == 0) own_.settings.residual_every = 10;
    return own_.doubles ? run_jacobi<double>(context, own_) : run_jacobi<float>(context, own_);
  }

 private:
  JacobiOptions own_;
};

}  // namespace

std::unique_ptr<App> make_jacobi3d() { return std::make_unique<Jacobi>(); }

}  // namespace apps
