#include "halocline/core/error.hpp"
#include "halocline/io/json.hpp"
#include "io/pretty.hpp"

namespace halocline::io {
namespace {

Json triple(const Vec3& v) { return Json::array({v.x, v.y, v.z}); }

std::string_view name_of(partition::Order order) {
  switch (order) {
    case partition::Order::row_major: return "row_major";
    case partition::Order::z_order: return "z_order";
  }
  throw InternalError("a partition order without a name");
}

}  // namespace

std::string to_json(const partition::Partition& partition) {
  Json json;
  json["extent"] = triple(partition.extent());
  json["node_grid"] = triple(partition.node_grid());
  json["device_grid"] = triple(partition.device_grid());
  json["order"] = name_of(partition.order());
  for (int dim = 0; dim < 3; ++dim) json["cuts"][std::string(1, "xyz"[dim])] = partition.cuts(dim);
  json["subdomains"] = Json::array();
  for (std::int64_t s = 0; s < partition.size(); ++s) {
    const Box box = partition.box_of(subdomain_id(s));
    Json one;
    one["subdomain"] = s;
    one["node_part"] = partition.node_part_of(subdomain_id(s));
    one["lo"] = triple(box.lo);
    one["hi"] = triple(box.hi);
    json["subdomains"].push_back(std::move(one));
  }
  return pretty(json);
}

std::string to_json(const placement::Placement& placement) {
  Json json;
  json["trivial_cost"] = placement.trivial_cost;
  json["cost"] = placement.cost;
  json["slots"] = Json::array();
  for (std::size_t s = 0; s < placement.slots.size(); ++s) {
    const placement::Slot& slot = placement.slots[s];
    Json one;
    one["subdomain"] = s;
    one["rank"] = slot.rank.value();
    one["node"] = slot.node.value();
    one["device"] = slot.device.value();
    one["ordinal"] = slot.ordinal;
    json["slots"].push_back(std::move(one));
  }
  return pretty(json);
}

std::string to_json(std::span<const routing::Route> routes) {
  Json json = Json::array();
  for (const routing::Route& route : routes) {
    Json one;
    one["from"] = route.from.value();
    one["to"] = route.to.value();
    one["transport"] = to_string(route.transport);
    one["reason"] = route.reason;
    json.push_back(std::move(one));
  }
  return pretty(json);
}

}  // namespace halocline::io
