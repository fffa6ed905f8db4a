# SPDX-License-Identifier: BSD-3-Clause
"""Finds the places of C++ sources that a mutant can change, in the syntax trees of libclang.

A site is a dictionary: file, line, operator, start and end (bytes of the file), kind, pattern and constant. The kinds are those of schemata.py.
"""

import concurrent.futures
import hashlib
import json
import pathlib
import re
import shlex
import subprocess

RELATIONAL = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
ARITHMETIC = {"+": "-", "-": "+", "+=": "-=", "-=": "+="}
LOGICAL = {"&&": "||", "||": "&&"}
ORDER = re.compile(r"(?:memory_order_|memory_order::)(acquire|release|acq_rel|seq_cst)$")
INTEGER = re.compile(r"(?:0[xX][0-9a-fA-F']+|0[bB][01']+|[0-9][0-9']*)[uUlLzZ]*")
CONSTANT = re.compile(r"\b(?:constexpr|constinit|consteval)\b")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)


class Finder:
    """The sites of the files in some folders, by one translation unit after the other."""

    def __init__(self, clang, root, folders, without=()):
        self.clang = clang
        self.kinds = clang.CursorKind
        self.root = pathlib.Path(root).resolve()
        self.folders = [str(self.root / folder) + "/" for folder in folders]
        self.without = {str(self.root / file) for file in without}
        self.texts = {}
        self.found = {}

    def read(self, file, arguments, text=None):
        """Adds what this translation unit has of the folders' files; text: what it is taken to contain."""
        unit = self.clang.Index.create().parse(file, args=arguments, unsaved_files=[] if text is None else [(file, text)])
        # Headers of the compiler have functions that are built into it.
        errors = [
            str(one)
            for one in unit.diagnostics
            if one.severity >= self.clang.Diagnostic.Error and one.location.file and one.location.file.name.startswith(str(self.root))
        ]
        if errors:
            raise ValueError(f"{file} is not parsed: {errors[0]}")
        for node in unit.cursor.get_children():
            self.outside(node)

    def outside(self, node):
        name = node.location.file.name if node.location.file else ""
        name = str(pathlib.Path(name).resolve()) if name else ""
        if not name.startswith(tuple(self.folders)) or name in self.without:
            return
        if name not in self.texts:
            self.texts[name] = pathlib.Path(name).read_bytes().decode("latin-1")
        self.walk(node, None, name, False)

    def words(self, node, name):
        return self.texts[name][node.extent.start.offset : node.extent.end.offset]

    def after(self, offset, name):
        return COMMENT.sub(" ", self.texts[name][offset : offset + 400]).lstrip()[:1]

    def before(self, offset, name):
        return COMMENT.sub(" ", self.texts[name][max(0, offset - 400) : offset]).rstrip()[-1:]

    def add(self, node, name, operator, kind, pattern, constant, what):
        start, end = node.extent.start.offset, node.extent.end.offset
        file = str(pathlib.Path(name).relative_to(self.root))
        # The same place changed in the same way by two operators is one mutant.
        key = (file, start, end, "negated" if kind == "negated" else json.dumps(pattern) + kind)
        self.found.setdefault(
            key,
            {
                "file": file,
                "line": node.extent.start.line,
                "operator": operator,
                "start": start,
                "end": end,
                "kind": kind,
                "pattern": pattern,
                "constant": constant,
                "what": what,
            },
        )

    def walk(self, node, parent, name, constant):
        """constant: whether the code may be evaluated at compile time, too."""
        k = self.kinds
        if node.kind in (k.STATIC_ASSERT, k.ENUM_DECL, k.ENUM_CONSTANT_DECL):
            return
        children = list(node.get_children())
        if node.kind == k.VAR_DECL:
            head = self.words(node, name)[: (children[-1].extent.start.offset if children else node.extent.end.offset) - node.extent.start.offset]
            if CONSTANT.search(head) or (node.semantic_parent.kind in (k.NAMESPACE, k.TRANSLATION_UNIT) and "const" in head):
                return
        if node.kind == k.FIELD_DECL:
            constant = True
        if node.kind in (k.FUNCTION_DECL, k.CXX_METHOD, k.CONSTRUCTOR, k.DESTRUCTOR, k.FUNCTION_TEMPLATE, k.CONVERSION_FUNCTION):
            body = [child for child in children if child.kind == k.COMPOUND_STMT]
            if not body:
                return
            head = self.texts[name][node.extent.start.offset : body[-1].extent.start.offset]
            constant = bool(CONSTANT.search(COMMENT.sub("", head)))
        self.look(node, parent, name, constant, children)
        if node.kind in (k.CASE_STMT,):
            children = children[1:]
        for child in children:
            if child.location.file and child.kind not in (k.TYPE_REF, k.TEMPLATE_REF, k.NAMESPACE_REF):
                if str(pathlib.Path(child.location.file.name).resolve()) == name:
                    self.walk(child, node, name, constant)

    def look(self, node, parent, name, constant, children):
        k = self.kinds
        if node.kind in (k.BINARY_OPERATOR, k.COMPOUND_ASSIGNMENT_OPERATOR) and len(children) == 2:
            self.binary(node, name, constant, *children)
        elif node.kind == k.CALL_EXPR:
            operands = [child for child in children if not (child.kind in (k.UNEXPOSED_EXPR, k.DECL_REF_EXPR) and child.spelling.startswith("operator"))]
            if node.spelling.startswith("operator") and len(operands) == 2:
                self.binary(node, name, constant, *operands)
            self.order(node, name, constant, children)
        elif node.kind == k.INTEGER_LITERAL and INTEGER.fullmatch(self.words(node, name)):
            text = self.words(node, name)
            self.add(node, name, "constant", "choice", [f"{text} + 1"], constant, f"{text} -> {text} + 1")
        elif node.kind == k.CXX_BOOL_LITERAL_EXPR and self.words(node, name) in ("true", "false"):
            if parent is None or parent.kind != k.RETURN_STMT:
                self.add(node, name, "constant", "negated", [], constant, f"not {self.words(node, name)}")
        elif node.kind in (k.IF_STMT, k.WHILE_STMT, k.DO_STMT, k.FOR_STMT, k.CONDITIONAL_OPERATOR):
            self.condition(node, name, constant, children)
        elif node.kind == k.RETURN_STMT and children:
            value = children[0]
            if value.type.get_canonical().kind == self.clang.TypeKind.BOOL and self.after(value.extent.end.offset, name) == ";":
                self.add(value, name, "returned bool", "negated", [], constant, "not the returned value")
        if node.kind in (k.COMPOUND_STMT, k.IF_STMT, k.FOR_STMT, k.WHILE_STMT, k.CXX_FOR_RANGE_STMT, k.CASE_STMT, k.DEFAULT_STMT):
            for child in children:
                self.statement(child, name, constant)

    def binary(self, node, name, constant, left, right):
        (ls, le), (rs, re_) = ((one.extent.start.offset, one.extent.end.offset) for one in (left, right))
        if not node.extent.start.offset == ls < le <= rs < re_ == node.extent.end.offset:
            return
        sign = COMMENT.sub("", self.texts[name][le:rs]).strip()
        for operator, table in (("relational", RELATIONAL), ("arithmetic", ARITHMETIC), ("logical", LOGICAL)):
            if sign in table and not (operator == "arithmetic" and self.joins(left, right)):
                self.add(node, name, operator, "choice", [[ls, le], f" {table[sign]} ", [rs, re_]], constant, f"{sign} -> {table[sign]}")

    def joins(self, left, right):
        """Whether + is not an operator of numbers: strings, and pointers that - does not take."""
        types = [one.type.get_canonical() for one in (left, right)]
        if any("basic_string" in one.spelling for one in types):
            return True
        return types[1].kind == self.clang.TypeKind.POINTER

    def order(self, node, name, constant, children):
        for child in children:
            words = self.words(child, name)
            if found := ORDER.search(words):
                start, end = node.extent.start.offset, node.extent.end.offset
                s, e = child.extent.start.offset, child.extent.end.offset
                if start < s < e < end:
                    self.add(node, name, "memory order", "choice", [[start, s], f"{words[: found.start(1)]}relaxed", [e, end]], constant, f"{words} -> relaxed")

    def condition(self, node, name, constant, children):
        k = self.kinds
        start = node.extent.start.offset
        for child in children:
            if child.kind == k.COMPOUND_STMT or not child.kind.is_expression():
                continue
            s, e = child.extent.start.offset, child.extent.end.offset
            if node.kind == k.CONDITIONAL_OPERATOR:
                if child != children[0] or self.after(e, name) != "?":
                    return
            elif node.kind == k.FOR_STMT:
                if self.before(s, name) != ";" or self.after(e, name) != ";":
                    continue
            elif self.before(s, name) not in ("(", ";") or self.after(e, name) != ")":
                continue
            if "constexpr" in self.texts[name][start:s]:
                return
            # A comparison for equality is negated by its own operator.
            if self.equality(child, name):
                return
            self.add(child, name, "condition", "negated", [], constant, "not the condition")
            return

    def equality(self, node, name):
        while node.kind == self.kinds.UNEXPOSED_EXPR and len(list(node.get_children())) == 1:
            node = next(iter(node.get_children()))
        operands = [child for child in node.get_children() if not child.spelling.startswith("operator")]
        return len(operands) == 2 and self.texts[name][operands[0].extent.end.offset : operands[1].extent.start.offset].strip() in ("==", "!=")

    def statement(self, node, name, constant):
        k = self.kinds
        inner = node
        while inner.kind == k.UNEXPOSED_EXPR and len(list(inner.get_children())) == 1:
            inner = next(iter(inner.get_children()))
        s, e = node.extent.start.offset, node.extent.end.offset
        if self.after(e, name) != ";" or self.before(s, name) not in (";", "{", "}", ")", ":", "e"):
            return
        words = " ".join(self.words(node, name).split())
        if inner.kind == k.CALL_EXPR and words.endswith(")") and not inner.spelling.startswith("operator"):
            operator = "call"
        elif inner.kind in (k.CALL_EXPR, k.BINARY_OPERATOR, k.COMPOUND_ASSIGNMENT_OPERATOR, k.UNARY_OPERATOR) and re.search(r"(?<![=!<>])=(?!=)|\+\+|--", words):
            operator = "assignment"
        else:
            return
        self.add(node, name, operator, "removed", [], constant, f"without {words[:80]}")


def used_by_devices(root):
    """Headers (.hpp) that files for devices include, also by others: nvcc compiles them, for which no environment chooses a mutant."""
    root = pathlib.Path(root)
    found, todo = set(), [*root.glob("src/**/*.cu"), *root.glob("src/**/*.cuh")]
    while todo:
        for name in re.findall(r'^#include "([^"]+)"', todo.pop().read_text(encoding="utf-8"), re.M):
            path = root / "src" / name
            if path.is_file() and path not in found:
                found.add(path)
                todo.append(path)
    return sorted(str(path.relative_to(root)) for path in found if path.suffix == ".hpp")


def arguments_of(entry):
    """What libclang needs of a command of compile_commands.json."""
    words = shlex.split(entry["command"])
    kept = []
    while words:
        word = words.pop(0)
        if word in ("-I", "-D", "-isystem"):
            kept += [word, words.pop(0)]
        elif word.startswith(("-I", "-D", "-std=", "-isystem")):
            kept.append(word)
    return kept


def compiler_headers(command):
    """Folders of the standard library, as the compiler of this command has them, so that the trees are those of what is built."""
    compiler = next(word for word in shlex.split(command) if re.search(r"(?:^|/)[\w-]*(?:c|g|clang)\+\+[\w.-]*$", word)).removeprefix("-ccbin=")
    done = subprocess.run([compiler, "-E", "-x", "c++", "-", "-v"], input="", capture_output=True, text=True, check=True)
    shown = re.search(r"#include <\.\.\.> search starts here:\n(.*?)End of search list", done.stderr, re.S).group(1).split()
    return ["-ferror-limit=0", "-nostdinc", "-nostdinc++", *(word for folder in shown for word in ("-isystem", folder))]


def sites_of(unit):
    from clang import cindex  # each process loads the library itself

    root, folders, without, file, arguments, text = unit
    finder = Finder(cindex, root, folders, without)
    finder.read(file, arguments, text)
    return finder.found


def find(root, source, build, kind, jobs):
    """All sites of the files that a kind of draw has, in the order of their places. The build is of a copy, `source`, and names the files that it compiles."""
    root, source = pathlib.Path(root).resolve(), str(pathlib.Path(source).resolve())
    without = used_by_devices(root)
    entries = json.loads((pathlib.Path(build) / "compile_commands.json").read_text(encoding="utf-8"))
    # Several files may be compiled as one, which is in the folder of the target.
    of_folders = [f"{source}/{folder}/" for folder in kind.folders] + [f"/halocline_{pathlib.Path(folder).name}.dir/" for folder in kind.folders]
    units = []
    for entry in entries:
        if entry["file"].endswith(kind.sources) and any(one in entry["file"] for one in of_folders):
            arguments = [word.replace(source, str(root)) for word in arguments_of(entry)] + compiler_headers(entry["command"]) + kind.arguments(entry["command"])
            text = pathlib.Path(entry["file"]).read_text(encoding="utf-8").replace(source, str(root)) if entry["file"].endswith("_cxx.cxx") else None
            units.append((str(root), kind.folders, without, entry["file"].replace(source, str(root)), arguments, text))
    found = {}
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        for sites in pool.map(sites_of, units):
            found |= sites
    return [found[key] for key in sorted(found)]


def digest(root):
    """Of all that the sites follow from."""
    value = hashlib.sha256(pathlib.Path(__file__).read_bytes())
    for folder in ("include", "src"):
        for path in sorted((pathlib.Path(root) / folder).rglob("*")):
            if path.is_file():
                value.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes() + b"\0")
    return value.hexdigest()
