// SPDX-License-Identifier: BSD-3-Clause
#include "communication.hpp"

#include <sstream>

#include "outputs.hpp"

namespace cli {

using namespace halocline;

mapping::Communication communication_of(const RoutedPlan& plan) {
  mapping::Communication communication(static_cast<int>(plan.plan.machine.ranks.size()));
  for (const auto& [route, bytes, messages] : plan.routes) {
    const auto from = static_cast<int>(plan.plan.owner(route.from).value());
    const auto to = static_cast<int>(plan.plan.owner(route.to).value());
    if (from == to) continue;
    auto& matrix = route.transport == routing::Transport::mpi_staged ? communication.cpu : communication.gpu;
    matrix.add(from, to, bytes, messages);
  }
  return communication;
}

void write_communication_file(Context& context, const std::string& file, const mapping::Communication& communication) {
  std::ostringstream text;
  if (context.root()) mapping::write_communication(text, communication);
  write_output(context, "--communication", file, text.view());
}

void add_communication_option(CLI::App& app, const std::string& meaning, std::string& file) {
  add_text(app, "--communication", "FILE", meaning, file);
}

}  // namespace cli
