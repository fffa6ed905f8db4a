// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "core/limits.hpp"
#include "machine/network/readers.hpp"
#include "machine/network/text.hpp"

namespace halocline::machine::network {
namespace {

/// A tag: "<object type="Machine">", "</object>", "<info .../>". Enough of XML for what hwloc writes.
struct Tag {
  std::string_view name;
  std::string_view attributes;
  bool closes = false;  ///< "</name>"
  bool empty = false;   ///< "<name/>"
};

/// The value of an attribute, or nothing in it.
std::string_view attribute(const Tag& tag, std::string_view name, const At& at) {
  std::string_view rest = tag.attributes;
  while (!(rest = trimmed(rest)).empty()) {
    const auto equals = rest.find('=');
    if (equals == std::string_view::npos || equals + 1 >= rest.size() ||
        (rest[equals + 1] != '"' && rest[equals + 1] != '\'')) {
      refuse_at(at, fmt::format("'{}' in <{}>; allowed is name=\"value\"", rest, tag.name));
    }
    const auto close = rest.find(rest[equals + 1], equals + 2);
    if (close == std::string_view::npos) refuse_at(at, fmt::format("a value in <{}> does not end", tag.name));
    if (trimmed(rest.substr(0, equals)) == name) return rest.substr(equals + 2, close - equals - 2);
    rest.remove_prefix(close + 1);
  }
  return {};
}

class HwlocReader {
 public:
  HwlocReader(std::string_view text, std::string_view file) : text_(text), file_(file) {
    tree.switches.push_back({"root", {}, {}, {}});
  }

  void read() {
    for (Tag tag; next(tag);) {
      if (tag.name == "object") {
        tag.closes ? leave() : enter(tag);
        if (tag.empty) leave();
      } else if (tag.name == "info" && inside_machine_ && open_.size() == machine_depth_ &&
                 attribute(tag, "name", at()) == "HostName") {
        host_ = attribute(tag, "value", at());
      }
    }
    if (!open_.empty()) refuse_at(at(), fmt::format("{} <object> without an end", open_.size()));
  }
  [[nodiscard]] At at() const { return {file_, line_}; }

  SwitchTree tree;
  std::size_t hosts = 0;

 private:
  /// Moves to the next tag; false at the end.
  bool next(Tag& tag) {
    const auto open = text_.find('<');
    if (open == std::string_view::npos) return false;
    skip(open);
    const auto close = text_.starts_with("<!--") ? text_.find("-->") : text_.find('>');
    if (close == std::string_view::npos) refuse_at(at(), "a tag does not end");
    std::string_view inside = text_.substr(1, close - 1);
    skip(close + 1);
    tag = {};
    if (inside.starts_with('!') || inside.starts_with('?')) return true;
    tag.closes = inside.starts_with('/');
    tag.empty = !tag.closes && inside.ends_with('/');
    if (tag.closes) inside.remove_prefix(1);
    if (tag.empty) inside.remove_suffix(1);
    const auto end = std::min(inside.find_first_of(" \t\n\r"), inside.size());
    tag.name = inside.substr(0, end);
    if (tag.name.empty()) refuse_at(at(), "a tag without a name");
    attributes_.assign(inside.substr(end));
    for (char& c : attributes_) c = c == '\n' ? ' ' : c;
    tag.attributes = attributes_;
    return true;
  }

  void skip(std::size_t count) {
    for (const char c : text_.substr(0, count)) line_ += c == '\n' ? 1 : 0;
    text_.remove_prefix(count);
  }

  void enter(const Tag& tag) {
    const std::string type(attribute(tag, "type", at()));
    if (type.empty()) refuse_at(at(), "an <object> without a type");
    const int parent = open_.empty() ? 0 : open_.back();
    if (inside_machine_) {
      open_.push_back(parent);
      return;
    }
    if (type == "Machine") {
      inside_machine_ = true;
      host_.clear();
      machine_line_ = line_;
      open_.push_back(parent);
      machine_depth_ = open_.size();
      return;
    }
    if (std::cmp_greater_equal(open_.size(), limits::fabric_levels))
      refuse_at(at(), fmt::format("more than {} levels above a Machine", limits::fabric_levels));
    if (open_.empty()) {  // System, the root
      if (entered_) refuse_at(at(), "a second root");
      open_.push_back(0);
    } else {
      const auto position = static_cast<int>(tree.switches.size());
      const std::string_view name = attribute(tag, "name", at());
      tree.switches.push_back(
          {name.empty() ? fmt::format("{} of line {}", type, line_) : std::string(name), {}, {}, {}});
      tree.switches[static_cast<std::size_t>(parent)].children.push_back(position);
      open_.push_back(position);
    }
    entered_ = true;
  }

  void leave() {
    if (open_.empty()) refuse_at(at(), "</object> without its beginning");
    if (inside_machine_ && open_.size() == machine_depth_) {
      if (host_.empty()) refuse_at({file_, machine_line_}, "a Machine without <info name=\"HostName\" .../>");
      tree.switches[static_cast<std::size_t>(open_.back())].hosts.push_back(host_);
      ++hosts;
      inside_machine_ = false;
    }
    open_.pop_back();
  }

  std::string_view text_;
  std::string_view file_;
  int line_ = 1;
  std::string attributes_;
  std::vector<int> open_;  ///< of each open object the switch; within a Machine, of the Machine
  bool entered_ = false;
  bool inside_machine_ = false;
  std::size_t machine_depth_ = 0;
  int machine_line_ = 0;
  std::string host_;
};

}  // namespace

FoundNetwork read_hwloc(std::string_view text, std::string_view file) {
  HwlocReader reader(text, file);
  reader.read();
  if (reader.hosts == 0) refuse_at(reader.at(), "no <object type=\"Machine\">");
  reader.tree.notes.push_back(fmt::format("network: hwloc, {}", file));
  if (reader.tree.switches.size() == 1)
    reader.tree.notes.emplace_back("nothing lies between the hosts and the root in the file: one switch is assumed");
  return network_of(reader.tree);
}

}  // namespace halocline::machine::network
