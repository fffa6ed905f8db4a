// SPDX-License-Identifier: BSD-3-Clause
#include "pictures/plan_picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "halocline/error.hpp"
#include "pictures/svg.hpp"
#include "table.hpp"

namespace cli {
namespace {

using namespace halocline;

constexpr double most_apart = 900;    ///< pixels of all gaps between layers
constexpr double longest_edge = 420;  ///< pixels of the longest edge of the domain
constexpr double plan_gap = 5;        ///< between boxes, in pixels along an axis
constexpr double plan_margin = 24;
const double plan_sine = 0.5;
const double plan_cosine = std::sqrt(3.0) / 2;

/// Of a point in pixels along the axes: x to the lower right, y to the upper right, z upwards.
Point projected(double x, double y, double z) { return {(x + y) * plan_cosine, (x - y) * plan_sine - z}; }

/// A box in pixels along the axes.
struct Block {
  std::array<double, 3> lo;
  std::array<double, 3> hi;
  [[nodiscard]] Point corner(int x, int y, int z) const {
    return projected(x == 0 ? lo[0] : hi[0], y == 0 ? lo[1] : hi[1], z == 0 ? lo[2] : hi[2]);
  }
};

/// What surrounds all that is drawn.
struct Bounds {
  Point lo{1e9, 1e9};
  Point hi{-1e9, -1e9};
  void add(Point p) {
    lo = {std::min(lo.x, p.x), std::min(lo.y, p.y)};
    hi = {std::max(hi.x, p.x), std::max(hi.y, p.y)};
  }
};

class PlanPicture {
 public:
  explicit PlanPicture(const Plan& plan) : plan_(plan), partition_(plan.geometry.partition) {
    const Vec3& extent = partition_.extent();
    scale_ = longest_edge / static_cast<double>(std::max({extent.x, extent.y, extent.z}));
    for (std::int64_t s = 0; s < partition_.size(); ++s) {
      if (plan_.placement.of(subdomain_id(s)).node != plan_.placement.slots.front().node) by_node_ = true;
    }
    // The upper sides of a layer need the height of its rhombus.
    const double rhombus = (pixels(extent.x, 0) + pixels(extent.y, 1)) * plan_sine;
    const auto gaps = static_cast<double>(partition_.grid().z - 1);
    layer_gap_ = gaps > 0 ? std::min(0.55 * rhombus, most_apart / gaps) : 0;
    for (std::int64_t s = 0; s < partition_.size(); ++s) {
      for (int corner = 0; corner < 8; ++corner) {
        bounds_.add(block_of(subdomain_id(s)).corner(corner & 1, corner >> 1 & 1, corner >> 2));
      }
    }
  }

  std::string svg() {
    // From the far to the near: a higher x or z, or a lower y, is in front.
    std::vector<subdomain_id> order;
    for (std::int64_t s = 0; s < partition_.size(); ++s) order.emplace_back(s);
    std::ranges::sort(order, {}, [&](subdomain_id id) {
      const Vec3 at = partition_.index_of(id);
      return std::array{at.z, at.x, -at.y};
    });
    const std::string title = fmt::format("{} cells on {}: {} as {} by {}", to_string(partition_.extent()),
                                          plan_.machine.name, plural(partition_.size(), "subdomain"),
                                          to_string(partition_.grid()), partition::to_string(plan_.partition));
    svg_.text({plan_margin, plan_margin}, title, {.bold = true});
    if (partition_.grid().z > 1) svg_.text({plan_margin, plan_margin + 20}, "Layers in z are drawn apart.");
    for (const subdomain_id id : order) draw(id);
    const double bottom = axes(legend());
    const double width = std::max(bounds_.hi.x - bounds_.lo.x + 2 * plan_margin + 170,
                                  letter_width * static_cast<double>(title.size()) + 4 * plan_margin);
    return svg_.document(width, bottom + plan_margin, title);
  }

 private:
  /// Without the gaps; dimension: for those.
  [[nodiscard]] double pixels(std::int64_t cells, std::size_t dimension) const {
    const Vec3& grid = partition_.grid();
    return scale_ * static_cast<double>(cells) + plan_gap * static_cast<double>(grid[static_cast<int>(dimension)] - 1);
  }
  [[nodiscard]] Block block_of(subdomain_id id) const {
    const Box box = partition_.box_of(id);
    const Vec3 at = partition_.index_of(id);
    Block block{};
    for (int d = 0; d < 3; ++d) {
      const auto shift = static_cast<double>(at[d]) * (plan_gap + (d == 2 ? layer_gap_ : 0));
      block.lo[static_cast<std::size_t>(d)] = scale_ * static_cast<double>(box.lo[d]) + shift;
      block.hi[static_cast<std::size_t>(d)] = scale_ * static_cast<double>(box.hi[d]) + shift;
    }
    return block;
  }
  [[nodiscard]] Point on_page(Point p) const {
    return {p.x - bounds_.lo.x + plan_margin + 40, p.y - bounds_.lo.y + 3 * plan_margin};
  }
  [[nodiscard]] std::int64_t kind_of(subdomain_id id) const {
    const auto& slot = plan_.placement.of(id);
    return by_node_ ? slot.node.value() : slot.device.value();
  }

  void draw(subdomain_id id) {
    const Block block = block_of(id);
    const Rgb colour = kind_colour(static_cast<std::size_t>(kind_of(id)));
    const Svg::Line edge{lightened(colour, -0.6), 0.8, false};
    const auto at = [&](int x, int y, int z) { return on_page(block.corner(x, y, z)); };
    svg_.polygon({at(0, 0, 0), at(1, 0, 0), at(1, 0, 1), at(0, 0, 1)}, lightened(colour, -0.15), edge);
    svg_.polygon({at(1, 0, 0), at(1, 1, 0), at(1, 1, 1), at(1, 0, 1)}, lightened(colour, -0.35), edge);
    const Rgb top = lightened(colour, 0.25);
    svg_.polygon({at(0, 0, 1), at(1, 0, 1), at(1, 1, 1), at(0, 1, 1)}, top, edge);
    const auto& slot = plan_.placement.of(id);
    const std::string label = by_node_ ? fmt::format("n{} d{}", slot.node.value(), slot.device.value())
                                       : fmt::format("d{}", slot.device.value());
    // In the middle, or nearer to the front if the layer above hides that.
    const double rise = std::abs(at(0, 1, 1).y - at(1, 0, 1).y);
    const double back = layer_gap_ > 0 ? std::min(0.5, 0.45 * layer_gap_ / rise) : 0.5;
    const Point middle{at(1, 0, 1).x + back * (at(0, 1, 1).x - at(1, 0, 1).x), at(1, 0, 1).y - back * rise};
    const double room = 2 * std::min(block.hi[0] - block.lo[0], block.hi[1] - block.lo[1]) * plan_cosine;
    const double size = std::min(font_size, 0.8 * room / (0.55 * static_cast<double>(label.size())));
    if (size >= 6) svg_.text(middle, label, {.anchor = "middle", .size = size, .colour = letters_on(top)});
  }

  /// What the colours are. Returns where it ends.
  double legend() {
    std::map<std::int64_t, std::int64_t> counts;
    for (std::int64_t s = 0; s < partition_.size(); ++s) ++counts[kind_of(subdomain_id(s))];
    const double left = bounds_.hi.x - bounds_.lo.x + 2 * plan_margin + 50;
    double y = 3 * plan_margin;
    std::int64_t shown = 0;
    for (const auto& [kind, count] : counts) {
      if (shown++ == 16) {
        svg_.text({left, y}, fmt::format("and {} more", std::ssize(counts) - 16));
        return y + plan_margin;
      }
      svg_.rectangle({left, y - 7}, 14, 14, kind_colour(static_cast<std::size_t>(kind)));
      svg_.text({left + 22, y}, fmt::format("{} {}", by_node_ ? "node" : "device", kind));
      y += 20;
    }
    return y + plan_margin;
  }

  /// The directions of the axes, below, with the domain's extents. Returns where all ends.
  double axes(double legend_end) {
    const double top = std::max(bounds_.hi.y - bounds_.lo.y + 4 * plan_margin, legend_end);
    const Point origin{plan_margin + 20, top + 40};
    const Vec3& extent = partition_.extent();
    const std::array<Point, 3> ends{projected(46, 0, 0), projected(0, 46, 0), projected(0, 0, 40)};
    for (std::size_t d = 0; d < 3; ++d) {
      const Point tip{origin.x + ends[d].x, origin.y + ends[d].y};
      svg_.line(origin, tip, {.width = 1.5});
      svg_.text({tip.x + (d == 2 ? -4 : 6), tip.y + (d == 0 ? 6 : (d == 1 ? -4 : -10))},
                fmt::format("{}: {} cells", "xyz"[d], extent[static_cast<int>(d)]));
    }
    return origin.y + 36;
  }

  const Plan& plan_;
  const partition::Partition& partition_;
  double scale_ = 1;
  double layer_gap_ = 0;
  bool by_node_ = false;
  Bounds bounds_;
  Svg svg_;
};

}  // namespace

std::string svg_of(const Plan& plan) {
  if (plan.geometry.partition.size() > most_drawn_subdomains) {
    throw InvalidArgument(fmt::format("a picture of {} subdomains; allowed is at most {}",
                                      plan.geometry.partition.size(), most_drawn_subdomains));
  }
  return PlanPicture(plan).svg();
}

}  // namespace cli
