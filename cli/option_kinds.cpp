// SPDX-License-Identifier: BSD-3-Clause
#include "option_kinds.hpp"

#include <iterator>
#include <sstream>

namespace cli {

CLI::Option* add_words(CLI::App& app, const std::string& name, const std::string& placeholder, int most,
                       const std::string& meaning,
                       std::function<void(const std::string& name, const Words& words)> parse) {
  return app
      .add_option_function<Words>(
          name, [name, parse = std::move(parse)](const Words& words) { parse(name, words); }, meaning)
      ->expected(1, most)
      ->type_name(placeholder);
}

CLI::Option* add_word(CLI::App& app, const std::string& name, const std::string& placeholder,
                      const std::string& meaning,
                      std::function<void(const std::string& name, const std::string& word)> parse) {
  return app
      .add_option_function<std::string>(
          name, [name, parse = std::move(parse)](const std::string& word) { parse(name, word); }, meaning)
      ->type_name(placeholder);
}

CLI::Option* add_flag(CLI::App& app, const std::string& name, const std::string& meaning, std::function<void()> set) {
  // CLI11 stores "true" for a flag without a value.
  return app.add_flag_callback(name, std::move(set), meaning)->check([name](const std::string& value) {
    if (value != "true") refuse(name, value, "no value");
    return std::string();
  });
}

CLI::Option* add_flag(CLI::App& app, const std::string& name, const std::string& meaning, bool& target) {
  return add_flag(app, name, meaning, [&target] { target = true; });
}

// CLI11's options have no place for data of ours, but validators have names; one that is not active does nothing.
void keep_values(CLI::Option& option, const std::vector<std::string>& values) {
  std::string name = "values";
  for (const std::string& value : values) name += " " + value;
  option.check(CLI::Validator([](std::string&) { return std::string(); }, "", name).active(false));
}

std::vector<std::string> values_of(CLI::Option& option) {
  for (int i = 0;; ++i) {
    try {
      std::istringstream words(option.get_validator(i)->get_name());
      std::string word;
      if (!(words >> word) || word != "values") continue;
      return {std::istream_iterator<std::string>(words), {}};
    } catch (const CLI::OptionNotFound&) {
      return {};  // no more validators
    }
  }
}

}  // namespace cli
