// SPDX-License-Identifier: BSD-3-Clause
#include "model/simulation/fair_shares.hpp"

#include <algorithm>

namespace halocline::model::simulation {

FairShares::FairShares(std::span<const double> bandwidths, const std::vector<std::vector<Part>>& bundles) {
  links_.resize(bandwidths.size());
  for (std::size_t l = 0; l < bandwidths.size(); ++l) links_[l].bandwidth = bandwidths[l];
  for (const std::vector<Part>& parts : bundles) {
    Bundle bundle;
    bundle.first = parts_.size();
    parts_.insert(parts_.end(), parts.begin(), parts.end());
    bundle.last = parts_.size();
    bundle_of_.resize(parts_.size(), static_cast<int>(bundles_.size()));
    bundles_.push_back(bundle);
  }
  places_.resize(parts_.size());
}

void FairShares::enter(int bundle) {
  const Bundle& entering = bundles_[at(bundle)];
  for (std::size_t entry = entering.first; entry < entering.last; ++entry) {
    std::vector<int>& list = links_[at(parts_[entry].link)].bundles;
    places_[entry] = list.size();
    list.push_back(static_cast<int>(entry));
  }
}

void FairShares::leave(int bundle) {
  const Bundle& leaving = bundles_[at(bundle)];
  for (std::size_t entry = leaving.first; entry < leaving.last; ++entry) {
    std::vector<int>& list = links_[at(parts_[entry].link)].bundles;
    list[places_[entry]] = list.back();
    places_[at(list[places_[entry]])] = places_[entry];
    list.pop_back();
  }
}

void FairShares::change(int bundle, int flows) {
  Bundle& changed = bundles_[at(bundle)];
  const bool was_empty = changed.flows == 0;
  if (flows < 0) lowest_ = std::min(lowest_, changed.rate);
  changed.flows += flows;
  if (was_empty) enter(bundle);
  if (changed.flows == 0) leave(bundle);
  for (std::size_t entry = changed.first; entry < changed.last; ++entry) {
    const int position = parts_[entry].link;
    Link& link = links_[at(position)];
    const double weight = flows * parts_[entry].weight;
    link.used += weight * changed.rate;
    link.all += weight;
    if (link.bundles.empty()) link.used = link.all = 0;
    if (!link.changed) changed_links_.push_back(position);
    link.changed = true;
  }
  if (changed.flows == 0) changed.rate = 0;
  changed.changed = true;
  changed_bundles_.push_back(bundle);
}

/// The bundle is filled again, and so is what it shares a bottleneck with.
void FairShares::take(int bundle) {
  Bundle& taken = bundles_[at(bundle)];
  if (taken.filling || taken.flows == 0) return;
  if (taken.rate < lowest_ && !taken.changed) return;
  taken.filling = true;
  taken.before = taken.rate;
  filled_.push_back(bundle);
  for (std::size_t entry = taken.first; entry < taken.last; ++entry) {
    const int position = parts_[entry].link;
    Link& link = links_[at(position)];
    if (!link.touched) touched_.push_back(position);
    link.touched = true;
    if (link.bottleneck) open(position);
  }
}

void FairShares::open(int link) {
  if (links_[at(link)].opened) return;
  links_[at(link)].opened = true;
  opened_.push_back(link);
}

void FairShares::grow() {
  for (; grown_ < opened_.size(); ++grown_) {
    for (const int entry : links_[at(opened_[grown_])].bundles) take(bundle_of_[at(entry)]);
  }
}

void FairShares::freeze(int bundle, double rate) {
  Bundle& frozen = bundles_[at(bundle)];
  frozen.frozen = true;
  frozen.rate = rate;
  for (std::size_t entry = frozen.first; entry < frozen.last; ++entry) {
    Link& link = links_[at(parts_[entry].link)];
    const double weight = frozen.flows * parts_[entry].weight;
    link.left = std::max(0.0, link.left - rate * weight);
    link.flows -= frozen.flows;
    link.weight -= weight;
  }
}

void FairShares::fill() {
  for (const int position : touched_) {
    Link& link = links_[at(position)];
    link.left = link.bandwidth - link.used;
    link.flows = 0;
    link.weight = 0;
    link.bottleneck = false;
  }
  for (const int b : filled_) {
    Bundle& bundle = bundles_[at(b)];
    bundle.frozen = false;
    for (std::size_t entry = bundle.first; entry < bundle.last; ++entry) {
      Link& link = links_[at(parts_[entry].link)];
      const double weight = bundle.flows * parts_[entry].weight;
      link.flows += bundle.flows;
      link.weight += weight;
      link.left += bundle.before * weight;
    }
  }
  for (const int position : touched_) {
    Link& link = links_[at(position)];
    link.left = std::max(0.0, link.left);
    if (link.flows > 0) levels_.push({link.left / link.weight, position});
  }
  while (!levels_.empty()) {
    const Level level = levels_.top();
    levels_.pop();
    Link& link = links_[at(level.link)];
    if (link.flows == 0) continue;
    // Shares grow while others are frozen below them.
    const double share = link.left / link.weight;
    if (share > level.share) {
      levels_.push({share, level.link});
      continue;
    }
    link.bottleneck = true;
    open(level.link);
    for (const int entry : link.bundles) {
      const int bundle = bundle_of_[at(entry)];
      if (bundles_[at(bundle)].filling && !bundles_[at(bundle)].frozen) freeze(bundle, share);
    }
  }
}

void FairShares::settle() {
  for (const int b : filled_) {
    Bundle& bundle = bundles_[at(b)];
    bundle.filling = false;
    for (std::size_t entry = bundle.first; entry < bundle.last; ++entry) {
      links_[at(parts_[entry].link)].used += (bundle.rate - bundle.before) * bundle.flows * parts_[entry].weight;
    }
  }
  for (const int position : touched_) links_[at(position)].touched = false;
  for (const int position : opened_) links_[at(position)].opened = false;
  lowest_ = never;
}

/// A flow that comes gets no less than an equal share of one of its links.
void FairShares::find_lowest() {
  for (const int b : changed_bundles_) {
    const Bundle& bundle = bundles_[at(b)];
    if (bundle.flows == 0) continue;
    for (std::size_t entry = bundle.first; entry < bundle.last; ++entry) {
      const Link& link = links_[at(parts_[entry].link)];
      lowest_ = std::min(lowest_, link.bandwidth / link.all);
    }
  }
  lowest_ *= 1 - 1e-9;  // rates are rounded
}

const std::vector<int>& FairShares::update() {
  filled_.clear();
  touched_.clear();
  opened_.clear();
  grown_ = 0;
  find_lowest();
  for (const int position : changed_links_) {
    Link& link = links_[at(position)];
    link.changed = false;
    if (link.bottleneck) open(position);
    if (link.bundles.empty()) link.bottleneck = false;
  }
  for (const int bundle : changed_bundles_) take(bundle);
  for (const int b : changed_bundles_) bundles_[at(b)].changed = false;
  changed_links_.clear();
  changed_bundles_.clear();
  grow();
  for (std::size_t known = 0; known < filled_.size();) {
    known = filled_.size();
    fill();
    grow();
  }
  settle();
  return filled_;
}

}  // namespace halocline::model::simulation
