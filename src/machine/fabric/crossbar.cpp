// SPDX-License-Identifier: BSD-3-Clause
#include "halocline/error.hpp"
#include "machine/fabric/links.hpp"

namespace halocline::machine {
namespace {

class CrossbarLinks final : public FabricLinks {
 public:
  [[nodiscard]] std::int64_t count() const override { return 0; }
  [[nodiscard]] LinkRate rate(std::int64_t) const override { throw InternalError("a crossbar has no links"); }
  [[nodiscard]] std::string name(std::int64_t) const override { throw InternalError("a crossbar has no links"); }
  [[nodiscard]] std::int64_t switches() const override { return 1; }
  [[nodiscard]] std::int64_t switch_of(std::int64_t) const override { return 0; }
  [[nodiscard]] Interconnect::Ends ends(std::int64_t) const override { throw InternalError("a crossbar has no links"); }
  void route(std::int64_t, std::int64_t, std::int64_t, std::vector<std::int64_t>&) const override {}
};

}  // namespace

std::unique_ptr<FabricLinks> make_links(const Crossbar&, std::int64_t) { return std::make_unique<CrossbarLinks>(); }

std::unique_ptr<FabricLinks> make_fabric_links(const Fabric::Shape& shape, std::int64_t nodes) {
  return std::visit([nodes](const auto& one) { return make_links(one, nodes); }, shape);
}

}  // namespace halocline::machine
