// SPDX-License-Identifier: BSD-3-Clause
#include "option_kinds.hpp"

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

}  // namespace cli
