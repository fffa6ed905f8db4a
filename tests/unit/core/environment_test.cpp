// SPDX-License-Identifier: BSD-3-Clause
#include "halocline/environment.hpp"

#include <gtest/gtest.h>

#include <map>

#include "core/environment_variables.hpp"
#include "halocline/error.hpp"

namespace halocline {
namespace {

Environment read(const std::map<std::string, std::string>& set) {
  return Environment::read([&](const std::string& name) {
    const auto found = set.find(name);
    return found == set.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST(Environment, defaults_hold_where_nothing_is_set) {
  const Environment e = read({});
  EXPECT_FALSE(e.ranks_per_node);
  EXPECT_EQ(e.timeout, std::chrono::seconds(120));
  EXPECT_EQ(e.comm, "auto");
  EXPECT_EQ(e.backend, "auto");
  EXPECT_FALSE(e.virtual_rack);
  EXPECT_EQ(e.device_memory, "auto");
}

TEST(Environment, values_are_typed) {
  const Environment e = read({{"HALOCLINE_RANKS_PER_NODE", "4"},
                              {"HALOCLINE_TIMEOUT", "0.25"},
                              {"HALOCLINE_LOG", "debug"},
                              {"HALOCLINE_VIRTUAL_RACK", "1"},
                              {"HALOCLINE_DEVICE_MEMORY", "fabric"},
                              {"HALOCLINE_NET_ENGINE", "ucx"},
                              {"HALOCLINE_BACKEND", "cuda"}});
  EXPECT_EQ(e.backend, "cuda");
  EXPECT_EQ(e.ranks_per_node, 4);
  EXPECT_TRUE(e.virtual_rack);
  EXPECT_EQ(e.device_memory, "fabric");
  EXPECT_EQ(e.timeout, std::chrono::milliseconds(250));
  EXPECT_EQ(e.log_level, "debug");
  EXPECT_EQ(e.net_engine, "ucx");
}

TEST(Environment, bad_values_are_refused_by_name) {
  for (const auto& [name, value] :
       std::initializer_list<std::pair<const char*, const char*>>{{"HALOCLINE_RANKS_PER_NODE", "0"},
                                                                  {"HALOCLINE_RANKS_PER_NODE", "two"},
                                                                  {"HALOCLINE_RANKS_PER_NODE", "2x"},
                                                                  {"HALOCLINE_BACKEND", "gpu"},
                                                                  {"HALOCLINE_DEVICES_PER_RANK", "65"},
                                                                  {"HALOCLINE_VIRTUAL_RACK", "yes"},
                                                                  {"HALOCLINE_DEVICE_MEMORY", "vmm"},
                                                                  {"HALOCLINE_HOST_WORKERS", "-1"},
                                                                  {"HALOCLINE_TIMEOUT", "0"},
                                                                  {"HALOCLINE_TIMEOUT", "nan"},
                                                                  {"HALOCLINE_VALIDATE_ORDERING", "yes"},
                                                                  {"HALOCLINE_SLOW_PATHS", "2"},
                                                                  {"HALOCLINE_NET_ENGINE", "pigeon"},
                                                                  {"HALOCLINE_LOG", "loud"},
                                                                  {"HALOCLINE_COMM", "tcp"}}) {
    try {
      static_cast<void>(read({{name, value}}));
      ADD_FAILURE() << name << "=" << value << " was taken";
    } catch (const InvalidArgument& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find(name), std::string::npos) << text;
      EXPECT_NE(text.find("'" + std::string(value) + "'; allowed is"), std::string::npos) << text;
    }
  }
}

TEST(Environment, each_variable_is_documented) {
  for (const auto& entry : environment_variables()) {
    EXPECT_EQ(entry.name.rfind("HALOCLINE_", 0), 0u);
    EXPECT_FALSE(entry.meaning.empty());
    EXPECT_FALSE(entry.allowed.empty());
  }
  EXPECT_EQ(environment_variables().size(), 17u) << "one entry for each member of Environment, and HALOCLINE_RECORD";
}

}  // namespace
}  // namespace halocline
