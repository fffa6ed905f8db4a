// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>

namespace halocline {

/// One value for each key while it is in use: made for the first user, destroyed with the last one. Not thread-safe.
template <typename Key, typename Value>
class SharedValues {
 public:
  /// The value of `key`: the one in use, otherwise make()'s, a std::shared_ptr<Value>. What make() throws changes nothing.
  template <typename Make>
  [[nodiscard]] std::shared_ptr<Value> get(const Key& key, Make make) {
    std::erase_if(values_, [](const auto& entry) { return entry.second.expired(); });
    std::weak_ptr<Value>& known = values_[key];
    std::shared_ptr<Value> value = known.lock();
    if (!value) known = value = make();
    return value;
  }

  /// Whether the value of `key` is in use.
  [[nodiscard]] bool contains(const Key& key) const {
    const auto known = values_.find(key);
    return known != values_.end() && !known->second.expired();
  }

 private:
  std::map<Key, std::weak_ptr<Value>> values_;
};

}  // namespace halocline
