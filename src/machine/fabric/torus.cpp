// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include "machine/fabric/links.hpp"

namespace halocline::machine {
namespace {

/// Ids: router by router, dimension by dimension, first to the next router and then to the previous one.
class TorusLinks final : public FabricLinks {
 public:
  explicit TorusLinks(const Torus& torus) : shape_(torus) {
    for (const TorusDimension& dimension : shape_.dimensions) routers_ *= dimension.length;
  }

  [[nodiscard]] std::int64_t count() const override { return routers_ * per_router(); }
  [[nodiscard]] LinkRate rate(std::int64_t id) const override {
    return shape_.dimensions[static_cast<std::size_t>(id % per_router() / 2)].link;
  }
  [[nodiscard]] std::string name(std::int64_t id) const override {
    std::string at;
    std::int64_t rest = id / per_router();
    for (const TorusDimension& dimension : shape_.dimensions) {
      at += fmt::format("{}{}", at.empty() ? "" : ",", rest % dimension.length);
      rest /= dimension.length;
    }
    return fmt::format("router ({}) {}{}", at, id % 2 == 0 ? "+" : "-", id % per_router() / 2);
  }

  [[nodiscard]] std::int64_t switches() const override { return routers_; }
  [[nodiscard]] std::int64_t switch_of(std::int64_t node) const override { return node / shape_.nodes_per_router; }
  [[nodiscard]] Interconnect::Ends ends(std::int64_t id) const override {
    const std::int64_t router = id / per_router();
    const auto dimension = static_cast<std::size_t>(id % per_router() / 2);
    std::int64_t stride = 1;
    for (std::size_t d = 0; d < dimension; ++d) stride *= shape_.dimensions[d].length;
    return {router, next(router, stride, shape_.dimensions[dimension].length, id % 2 == 0)};
  }

  void route(std::int64_t from, std::int64_t to, std::int64_t first, std::vector<std::int64_t>& path) const override {
    std::int64_t router = from / shape_.nodes_per_router;
    const std::int64_t target = to / shape_.nodes_per_router;
    std::int64_t stride = 1;
    for (std::size_t d = 0; d < shape_.dimensions.size(); ++d) {
      const std::int64_t length = shape_.dimensions[d].length;
      const std::int64_t at = router / stride % length;
      const std::int64_t up = (target / stride % length - at + length) % length;
      const bool rising = 2 * up <= length;
      for (std::int64_t step = rising ? up : length - up; step > 0; --step) {
        path.push_back(first + router * per_router() + 2 * static_cast<std::int64_t>(d) + (rising ? 0 : 1));
        router = next(router, stride, length, rising);
      }
      stride *= length;
    }
  }

 private:
  [[nodiscard]] std::int64_t per_router() const { return 2 * static_cast<std::int64_t>(shape_.dimensions.size()); }

  /// Returns the neighbour of a router in a dimension of a given length, in which one step is `stride` routers.
  static std::int64_t next(std::int64_t router, std::int64_t stride, std::int64_t length, bool rising) {
    const std::int64_t at = router / stride % length;
    return router + ((at + (rising ? 1 : length - 1)) % length - at) * stride;
  }

  Torus shape_;
  std::int64_t routers_ = 1;
};

}  // namespace

std::unique_ptr<FabricLinks> make_links(const Torus& torus, std::int64_t) {
  return std::make_unique<TorusLinks>(torus);
}

}  // namespace halocline::machine
