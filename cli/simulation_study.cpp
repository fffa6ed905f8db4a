#include <fmt/core.h>

#include <cmath>

#include "documents.hpp"
#include "halocline/core/error.hpp"
#include "planning.hpp"
#include "simulation.hpp"
#include "table.hpp"

namespace cli {

using namespace halocline;

namespace {

/// What a column of a study changes.
struct Variant {
  std::string name;
  std::string transports;  ///< empty: those of the flags
  std::optional<placement::Method> placement{};
};

std::vector<Variant> variants_of(const std::string& study) {
  if (study == "specialisation") return {{"staged", "-self,-direct,-peer_copy,-ipc_copy,-mpi_device"}, {"all", ""}};
  if (study == "placement") {
    return {{"trivial", "", placement::Method::trivial}, {"node_aware", "", placement::Method::automatic}};
  }
  return {{"all", ""}};
}

/// Weak scaling, and what is compared along it, as Pearson et al. do it: a cube of round(750 n^(1/3)) cells a side for n devices;
/// strong scaling with 1363 a side.
Vec3 extent_of(const std::string& study, std::int64_t devices) {
  const std::int64_t side = study == "strong" ? 1363 : std::llround(750 * std::cbrt(static_cast<double>(devices)));
  return {side, side, side};
}

model::Simulated simulate_variant(const Options& options, PlanRequest request, const Variant& variant,
                                  const model::ExchangeParameters& parameters, model::ClosedForm& closed) {
  if (variant.placement) request.placement.method = *variant.placement;
  const Plan plan = make_plan(request);
  const std::string transports = variant.transports.empty() ? options.transports.value_or("") : variant.transports;
  const auto policy = transports.empty() ? routing::Policy{} : routing::Policy::parse(transports);
  const auto routes = assumed_routes(plan, policy, options.device_mpi);
  closed = closed_form_of(plan);
  return simulated(plan, routes, parameters);
}

/// The table and the document of a study, row by row.
class Report {
 public:
  explicit Report(const std::vector<Variant>& variants) : several_(variants.size() > 1), table_(header(variants)) {}

  void begin(std::int64_t nodes, const Vec3& extent) {
    cells_ = {fmt::format("{}", nodes), to_string(extent)};
    row_ = {{"nodes", nodes}, {"extent", json_of(extent)}};
    first_ = 0;
  }
  void add(const Variant& variant, const model::Simulated& time) {
    const std::string slowest = time.levels.empty() ? "none" : time.levels.front().level;
    if (first_ == 0) first_ = time.seconds;
    last_ = time.seconds;
    cells_.push_back(seconds_text(time.seconds));
    cells_.push_back(slowest);
    row_["simulated_s"][variant.name] = time.seconds;
    row_["slowest"][variant.name] = slowest;
  }
  void end(const model::ClosedForm& closed) {
    if (several_) {
      cells_.push_back(fmt::format("{:.2f}", first_ / last_));
      row_["ratio"] = first_ / last_;
    }
    cells_.push_back(seconds_text(closed.seconds));
    row_["closed_form_s"] = closed.seconds;
    table_.row(cells_);
    rows_.push_back(row_);
  }
  [[nodiscard]] std::string text() const { return table_.text(); }
  [[nodiscard]] const Json& rows() const { return rows_; }

 private:
  static std::vector<std::string> header(const std::vector<Variant>& variants) {
    std::vector<std::string> names{"nodes", "cells"};
    for (const Variant& variant : variants) {
      names.push_back(variant.name);
      names.emplace_back("slowest");
    }
    if (variants.size() > 1) names.emplace_back("ratio");
    names.emplace_back("closed form");
    return names;
  }
  bool several_;
  Table table_;
  std::vector<std::string> cells_;
  Json row_;
  Json rows_ = Json::array();
  double first_ = 0;
  double last_ = 0;
};

}  // namespace

const std::vector<std::string>& studies() {
  static const std::vector<std::string> names{"weak", "strong", "specialisation", "placement"};
  return names;
}

int run_study(Context& context, const SimulateFlags& flags) {
  const PlanRequest whole = plan_request_of(context);
  if (!context.root()) return 0;
  const auto variants = variants_of(flags.study);
  Report report(variants);
  const std::int64_t most = std::ssize(whole.machine.nodes);
  for (std::int64_t nodes = 1;; nodes = std::min(2 * nodes, most)) {
    PlanRequest request = whole;
    keep_nodes(request.machine, nodes);
    request.extent = extent_of(flags.study, request.machine.device_count());
    report.begin(nodes, request.extent);
    model::ClosedForm closed;
    for (const Variant& variant : variants) {
      report.add(variant, simulate_variant(context.options, request, variant, flags.parameters, closed));
    }
    report.end(closed);
    if (nodes == most) break;
  }
  Json document = document_of("simulate");
  document["study"] = flags.study;
  document["machine"] = machine_summary(whole.machine);
  document["rows"] = report.rows();
  context.print_document(document);
  context.print_text(fmt::format("one exchange on {}, study '{}'; routes are assumed\n\n{}", whole.machine.name,
                                 flags.study, report.text()));
  return 0;
}

}  // namespace cli
