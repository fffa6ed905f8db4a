// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include "documents.hpp"
#include "halocline/error.hpp"
#include "machine/synthetic.hpp"
#include "planning.hpp"
#include "simulation.hpp"
#include "simulation_cases.hpp"
#include "table.hpp"

namespace cli {

using namespace halocline;

namespace {

model::Simulated simulate_case(PlanRequest request, const StudyRow& row, const StudyConfig& config,
                               routing::Messages messages) {
  keep_nodes(request.machine, row.nodes);
  machine::assign_ranks(request.machine, row.ranks_per_node);
  request.extent = row.extent;
  if (config.placement) request.placement.method = *config.placement;
  // As in the papers, which know no shared links.
  if (request.partition == partition::Method::automatic) request.partition = partition::Method::exact;
  if (request.placement.method == placement::Method::automatic) {
    const bool few = request.machine.devices_of(node_id(0)) <= 8;
    request.placement.method = few ? placement::Method::exact : placement::Method::craft;
  }
  const Plan plan = make_plan(request);
  const auto policy = routing::Policy::parse(transports_of(row, config));
  if (messages == routing::Messages::automatic) messages = ranking_of(plan, policy, row.device_mpi).chosen;
  const auto routes = assumed_routes(plan, policy, row.device_mpi, {}, messages);
  return simulated(plan, routes, messages);
}

/// The table, the document and the rows of CSV of a study.
class Report {
 public:
  Report(std::string study, const std::vector<StudyConfig>& configs, std::int64_t devices_per_node)
      : study_(std::move(study)), devices_(devices_per_node), table_(header(configs)) {}

  void begin(const StudyRow& row) {
    cells_ = {label_of(row, devices_)};
    json_ = {{"label", cells_.front()},
             {"nodes", row.nodes},
             {"ranks_per_node", row.ranks_per_node},
             {"extent", json_of(row.extent)},
             {"device_mpi", row.device_mpi}};
    first_ = 0;
  }
  void add(const StudyRow& row, const StudyConfig& config, const model::Simulated& time) {
    if (first_ == 0) first_ = time.seconds;
    last_ = slowest_of(time);
    cells_.push_back(seconds_text(time.seconds));
    if (json_.contains("simulated_s")) cells_.back() += fmt::format(", {:.2f} x", first_ / time.seconds);
    json_["simulated_s"][config.name] = time.seconds;
    json_["slowest"][config.name] = last_;
    const std::string label = label_of(row, devices_);
    csv_ += fmt::format("{},{},{},{},domain,simulated,{},{},{},{},{},{},{:.9e},,{}\n", study_, label, config.name,
                        size_of(row.extent), row.nodes, row.ranks_per_node, devices_, row.extent.x, row.extent.y,
                        row.extent.z, time.seconds, last_);
  }
  void end() {
    cells_.push_back(last_);
    table_.row({cells_.begin(), cells_.end()});
    rows_.push_back(json_);
  }
  [[nodiscard]] std::string text() const { return table_.text(); }
  [[nodiscard]] const Json& rows() const { return rows_; }
  /// The columns of bench_study that halocline plot reads.
  [[nodiscard]] std::string csv() const {
    return "study,label,config,size,kind,device,nodes,ranks_per_node,gpus_per_node,extent_x,extent_y,extent_z,"
           "median_s,steady_s,slowest\n" +
           csv_;
  }

 private:
  static std::vector<std::string> header(const std::vector<StudyConfig>& configs) {
    std::vector<std::string> names{"case"};
    for (const StudyConfig& config : configs) names.push_back(config.name);
    names.emplace_back("slowest of the last");
    return names;
  }

  std::string study_;
  std::int64_t devices_;
  Table table_;
  std::vector<std::string> cells_;
  Json json_;
  Json rows_ = Json::array();
  std::string csv_;
  std::string last_;
  double first_ = 0;
};

}  // namespace

const std::vector<std::string>& studies() {
  static const std::vector<std::string> names{"weak", "strong", "specialisation", "placement", "ladder"};
  return names;
}

int run_study(Context& context, const SimulateFlags& flags) {
  if (context.options.transports) {
    refuse_together("--transports", "--study, whose columns are transports");
  }
  PlanRequest request = plan_request_of(context);
  if (!context.root()) return 0;
  flags.apply(request.machine);
  const auto configs = study_configs(flags.study);
  const routing::Messages messages = context.options.messages.value_or(routing::Messages::by_neighbour);
  Report report(flags.study, configs, request.machine.devices_of(node_id(0)));
  for (const StudyRow& row : study_rows(flags.study, request.machine)) {
    report.begin(row);
    for (const StudyConfig& config : configs) {
      report.add(row, config, simulate_case(request, row, config, messages));
    }
    report.end();
  }
  Json document = document_of("simulate");
  document["study"] = flags.study;
  document["machine"] = machine_summary(request.machine);
  document["software"] = software_json(request.machine.software);
  document["rows"] = report.rows();
  context.print_document(document);
  if (flags.csv) {
    context.print_lines(report.csv());
  } else {
    context.print_text(fmt::format("one exchange on {}, study '{}'; routes are assumed\n\n{}", request.machine.name,
                                   flags.study, report.text()));
  }
  return 0;
}

}  // namespace cli
