// SPDX-License-Identifier: BSD-3-Clause
#include "layering/layering.hpp"

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <stdexcept>
#include <string_view>

#include "layering/table.hpp"

namespace halocline::layering {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t most_lines = 400;  // not counting the licence
constexpr std::string_view licence_line = "// SPDX-License-Identifier: BSD-3-Clause";

/// Users' kernels include the public headers; therefore one header may depend on the compiler and on checks.
bool view_may_depend_on(std::string_view condition) {
  return condition == " defined(__CUDACC__)" || condition == " defined(__CUDA_ARCH__)" ||
         condition == " defined(HALOCLINE_CHECK_BOUNDS)";
}

/// An #include, or the beginning of a conditional part.
struct Directive {
  std::size_t line = 0;
  enum class Kind { include, condition } kind = Kind::include;
  std::string text;  ///< the header, or the condition
  bool quoted = false;
};

struct File {
  fs::path path;  ///< relative to the root
  std::size_t lines = 0;
  bool licensed = false;  ///< by its first line
  std::vector<Directive> directives;
  [[nodiscard]] std::string part(std::size_t index) const {
    auto it = path.begin();
    for (; index > 0 && it != path.end(); --index) ++it;
    return it == path.end() ? std::string() : it->string();
  }
};

File read_file(const fs::path& root, const fs::path& path) {
  static const std::regex include(R"(^\s*#\s*include\s*(.*?)\s*$)");
  static const std::regex header(R"(^([<"])([^>"]*)[>"].*$)");
  static const std::regex condition(R"(^\s*#\s*(?:if|ifdef|ifndef|elif)\b(.*)$)");
  File file;
  file.path = fs::relative(path, root);
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  std::smatch match;
  for (std::string line; std::getline(in, line);) {
    ++file.lines;
    if (file.lines == 1) file.licensed = line == licence_line;
    if (line.find('#') == std::string::npos) continue;
    if (std::regex_match(line, match, include)) {
      const std::string what = match[1];
      std::smatch name;
      if (std::regex_match(what, name, header)) {
        file.directives.push_back({file.lines, Directive::Kind::include, name[2], name[1] == "\""});
      } else {
        file.directives.push_back({file.lines, Directive::Kind::include, what, false});
      }
    } else if (std::regex_match(line, match, condition)) {
      file.directives.push_back({file.lines, Directive::Kind::condition, match[1], false});
    }
  }
  return file;
}

std::vector<File> read_tree(const fs::path& root, const std::string& folder) {
  static const std::set<std::string> endings{".cpp", ".hpp", ".cu", ".cuh", ".h", ".cc", ".c"};
  std::vector<fs::path> paths;
  if (fs::is_directory(root / folder)) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.is_regular_file() && endings.contains(entry.path().extension().string())) {
        paths.push_back(entry.path());
      }
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<File> files;
  for (const auto& path : paths) files.push_back(read_file(root, path));
  return files;
}

/// A header of the C++ standard library: no dot, no slash, as in <vector>.
bool standard(const std::string& header) { return header.find_first_of("./") == std::string::npos; }

class Checker {
 public:
  explicit Checker(const fs::path& root)
      : root_(root),
        table_(read_table(root / "src" / "LAYERS")),
        user_headers_(read_user_headers(root / "src" / "LAYERS", table_)),
        reserved_(read_reserved(root / "src" / "LAYERS")) {}

  Report run() {
    for (const auto* folder : {"src", "include"}) {
      for (const auto& file : read_tree(root_, folder)) check_library(file);
    }
    for (const auto* folder : {"cli", "apps", "bench", "profile"}) {
      for (const auto& file : read_tree(root_, folder)) check_outside(file, Sees::stages);
    }
    for (const auto* folder : {"examples", "bindings", "python/src"}) {
      for (const auto& file : read_tree(root_, folder)) check_outside(file, Sees::installed);
    }
    for (const auto& file : read_tree(root_, "tests")) {
      if (file.part(1) == "install") check_outside(file, Sees::installed);
      else check_form(file);
    }
    for (const auto& [header, folder] : user_headers_) {
      if (!fs::exists(root_ / "include" / "halocline" / header)) {
        report_.violations.push_back({"src/LAYERS", 0, header + " of a line \"user\" is not in include/halocline"});
      }
    }
    return report_;
  }

 private:
  void add(const File& file, std::size_t line, const std::string& what) {
    report_.violations.push_back({file.path.generic_string(), line, what});
  }

  void check_form(const File& file) {
    ++report_.files;
    if (!file.licensed) add(file, 1, "does not begin with " + std::string(licence_line));
    const std::size_t lines = file.lines - (file.licensed ? 1 : 0);
    if (lines > most_lines) {
      add(file, 0, "has " + std::to_string(lines) + " lines; allowed are " + std::to_string(most_lines));
    }
  }

  // Files src/<stage>/..., include/halocline/<header> and include/halocline/<stage>/...
  void check_library(const File& file) {
    check_form(file);
    const bool installed = file.part(0) == "include";
    const bool umbrella = file.path == fs::path("include/halocline/halocline.hpp");
    const std::string stage = installed ? stage_of(file.part(2)) : file.part(1);
    if (!umbrella && !table_.contains(stage)) {
      add(file, 0, installed ? "is on no line \"user\" of src/LAYERS" : "is in no folder of src/LAYERS");
      return;
    }
    for (const auto& directive : file.directives) {
      if (directive.kind == Directive::Kind::condition) {
        check_condition(file, directive);
        continue;
      }
      ++report_.includes;
      if (umbrella) {
        check_umbrella(file, directive);
      } else {
        check_include(file, directive, stage, installed);
      }
    }
  }

  /// The stage of a header or folder of include/halocline/.
  [[nodiscard]] std::string stage_of(const std::string& name) const {
    const auto found = user_headers_.find(name);
    return found == user_headers_.end() ? name : found->second;
  }

  void check_condition(const File& file, const Directive& directive) {
    static const std::regex option(R"(CUDA|\bHALOCLINE_|\bHC_)");
    if (file.path == fs::path("include/halocline/view.hpp") && view_may_depend_on(directive.text)) return;
    if (std::regex_search(directive.text, option)) {
      add(file, directive.line, "#if on" + directive.text + "; an absent part is a source file of its own");
    }
  }

  void check_umbrella(const File& file, const Directive& directive) {
    const bool ours = directive.text.starts_with("halocline/") && fs::exists(root_ / "include" / directive.text);
    if (!ours) add(file, directive.line, "includes " + directive.text + ", which is not installed");
    if (directive.text == "halocline/mpi.hpp") add(file, directive.line, "includes a header that needs MPI");
  }

  void check_include(const File& file, const Directive& directive, const std::string& stage, bool installed) {
    const std::string& header = directive.text;
    const auto slash = header.find('/');
    const std::string first = header.substr(0, slash);
    if (header.starts_with("halocline/")) {
      const std::string rest = header.substr(slash + 1);
      check_folder(file, directive, stage, stage_of(rest.substr(0, rest.find('/'))));
      if (header == "halocline/mpi.hpp" && installed)
        add(file, directive.line, "installed, but needs MPI by " + header);
    } else if (slash != std::string::npos && table_.contains(first)) {
      const bool of_a_stage = !installed && file.path.extension() == ".hpp" && !is_private(file.path.generic_string());
      if (installed) {
        add(file, directive.line, "installed, but includes " + header + ", which is not");
      } else if (is_private("src/" + header) && (first != stage || of_a_stage)) {
        add(file, directive.line,
            first == stage ? "seen by other stages, but includes the private header " + header
                           : header + " is private to " + first);
      } else {
        check_folder(file, directive, stage, first);
        check_transport(file, directive);
      }
    } else if (directive.quoted) {
      add(file, directive.line, "\"" + header + "\" is neither halocline/... nor <stage>/...");
    } else if (!standard(header)) {
      check_foreign(file, directive, stage, installed);
    }
  }

  void check_folder(const File& file, const Directive& directive, const std::string& stage, const std::string& other) {
    if (other != stage && !table_.at(stage).folders.contains(other)) {
      add(file, directive.line, stage + " may not include " + directive.text);
    }
  }

  /// Distinguishes src/<stage>/<folder>/<name>, which is private, from src/<stage>/<name>.
  [[nodiscard]] static bool is_private(const std::string& path) {
    return std::count(path.begin(), path.end(), '/') > 2;
  }

  /// Whether the header is reserved for some files; adds a violation if this file is not one of them.
  bool check_reserved(const File& file, const Directive& directive) {
    for (const Reserved& reserved : reserved_) {
      if (!reserved.covers(directive.text)) continue;
      if (!reserved.allows(file.path.generic_string())) {
        add(file, directive.line,
            "<" + directive.text + "> is reserved for " + reserved.files.front() + " and the like");
      }
      return true;
    }
    return false;
  }

  void check_foreign(const File& file, const Directive& directive, const std::string& stage, bool installed) {
    if (check_reserved(file, directive)) return;
    if (!table_.at(stage).allows_foreign(directive.text)) {
      add(file, directive.line, stage + " may not include <" + directive.text + ">");
    } else if (installed && directive.text == "mpi.h" && file.path != fs::path("include/halocline/mpi.hpp")) {
      add(file, directive.line, "<mpi.h> in an installed header other than mpi.hpp");
    }
  }

  // One transport is one folder of src/exchange/transport/, or one .cpp file with its header. A header without
  // a .cpp file, such as endpoint.hpp, is shared by all.
  void check_transport(const File& file, const Directive& directive) {
    static const std::string folder = "exchange/transport/";
    if (!directive.text.starts_with(folder)) return;
    if (file.part(2) != "transport" || file.part(1) != "exchange") return;
    const auto name = [](const std::string& part) { return part.substr(0, part.find('.')); };
    const std::string rest = directive.text.substr(folder.size());
    const std::string other = name(rest.substr(0, rest.find('/')));
    const std::string mine = name(file.part(3));
    const fs::path place = root_ / "src" / folder;
    const bool transport = fs::is_directory(place / other) || fs::exists(place / (other + ".cpp"));
    // The factory includes all transports, and is included by callers that make one.
    if (!transport || other == mine || other == "factory" || mine == "factory") return;
    add(file, directive.line, "transport " + mine + " includes " + other);
  }

  /// The headers of the library that code outside of src/ may include.
  enum class Sees { installed, stages };

  void check_outside(const File& file, Sees sees) {
    check_form(file);
    for (const auto& directive : file.directives) {
      if (directive.kind != Directive::Kind::include) continue;
      ++report_.includes;
      const std::string& header = directive.text;
      const bool of_the_library = table_.contains(header.substr(0, header.find('/')));
      if (header.starts_with("halocline/")) {
        if (!fs::exists(root_ / "include" / header)) add(file, directive.line, header + " is not an installed header");
      } else if (directive.quoted && own(file, header)) {
        continue;
      } else if (of_the_library && (sees == Sees::installed || is_private("src/" + header))) {
        add(file, directive.line,
            header + (sees == Sees::installed ? " is not installed" : " is private to its stage"));
      } else if (directive.quoted && !(of_the_library && fs::exists(root_ / "src" / header))) {
        add(file, directive.line, "\"" + header + "\" is neither a header of the library nor a file of this folder");
      } else {
        check_reserved(file, directive);
      }
    }
  }

  /// The files of an application that implement its command; its solver does not use the tool.
  static bool is_command_of_app(const File& file) {
    return file.part(0) == "apps" &&
           (file.path.filename().string().starts_with("command") || file.path == fs::path("apps/common/app.hpp"));
  }

  /// A file's own headers: in its folder, below its top folder, in apps/ for the tool, which runs the applications, and
  /// in cli/ for the commands of the applications.
  [[nodiscard]] bool own(const File& file, const std::string& header) const {
    const fs::path top = root_ / file.part(0);
    return fs::exists((root_ / file.path).parent_path() / header) || fs::exists(top / header) ||
           ((header.starts_with(file.part(0) + "/") || header.starts_with("apps/")) && fs::exists(root_ / header)) ||
           (header.starts_with("cli/") && is_command_of_app(file) && fs::exists(root_ / header)) ||
           fs::exists(root_ / "apps" / header);
  }

  fs::path root_;
  Table table_;
  UserHeaders user_headers_;
  std::vector<Reserved> reserved_;
  Report report_;
};

}  // namespace

std::string to_string(const Violation& violation) {
  return violation.file + (violation.line > 0 ? ":" + std::to_string(violation.line) : "") + ": " + violation.what;
}

Report check(const fs::path& root) { return Checker(root).run(); }

}  // namespace halocline::layering
