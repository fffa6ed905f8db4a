#include "communication.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "halocline/core/error.hpp"

namespace cli {

using namespace halocline;

mapping::Communication communication_of(const RoutedPlan& plan) {
  mapping::Communication communication(static_cast<int>(plan.plan.machine.ranks.size()));
  for (const auto& [route, bytes] : plan.routes) {
    const auto from = static_cast<int>(plan.plan.owner(route.from).value());
    const auto to = static_cast<int>(plan.plan.owner(route.to).value());
    if (from == to) continue;
    auto& matrix = route.transport == routing::Transport::mpi_staged ? communication.cpu : communication.gpu;
    matrix.add(from, to, bytes);
  }
  return communication;
}

void write_communication_file(Context& context, const std::string& file, const mapping::Communication& communication) {
  comm::agree_on(context.world, [&] {
    if (!context.root()) return;
    std::ofstream out(file);
    mapping::write_communication(out, communication);
    out.close();
    if (!out) throw ResourceError(fmt::format("{} cannot be written: {}", file, std::strerror(errno)));
  });
}

void add_communication_option(CLI::App& app, const std::string& meaning, std::string& file) {
  add_word(app, "--communication", "FILE", meaning, [&file](const auto&, const auto& word) { file = word; });
}

}  // namespace cli
