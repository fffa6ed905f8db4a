# SPDX-License-Identifier: BSD-3-Clause
"""The reference's pages for C, Fortran and Python. C and Fortran: the files that a compiler reads, which describe themselves. Python: the names that the
package exports, their signatures and docstrings, read without importing it.
"""

import ast
import inspect
import shutil

C = "bindings/c/include"
FORTRAN = "bindings/fortran/src"
PYTHON = "python/halocline"
RETURNED = {"Block", "BlockStream", "DeviceArray", "Exchange", "Field", "Restored", "Steps"}  # made by the library's calls, not by the user's


class Missing(Exception):
    """A public name without a definition or a description; the text names it."""


def listing(title, text, files, root, folder, language):
    """A page with whole files, which are copied into the folder."""
    lines = [f"# {title}", "", text, ""]
    for path in files:
        copy = folder / "files" / path.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
        lines += [f"## {path.name}", "", f"```{{literalinclude}} files/{path.relative_to(root)}", f":language: {language}", "```", ""]
    return "\n".join(lines)


def description(node, name):
    text = ast.get_docstring(node)
    if not text:
        raise Missing(f"{name} has no docstring")
    return inspect.cleandoc(text)


def has_decorator(node, name):
    return any(isinstance(d, ast.Name) and d.id == name for d in node.decorator_list)


def signature(name, function, method):
    """The call of a function, without self or cls."""
    arguments = function.args
    if method and not has_decorator(function, "staticmethod"):
        arguments.args = arguments.args[1:]
    result = f" -> {ast.unparse(function.returns)}" if function.returns and function.name != "__init__" else ""
    return f"{name}({ast.unparse(arguments)}){result}"


def attributes(init, source):
    """The public attributes that __init__ sets behind a comment "#:", and their descriptions."""
    lines = source.splitlines()
    for node in ast.walk(init):
        target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0] if isinstance(node, ast.Assign) else None
        comment = lines[node.lineno - 2].strip() if target else ""
        if isinstance(target, ast.Attribute) and not target.attr.startswith("_") and comment.startswith("#: "):
            yield target.attr, comment[3:]


def code(text):
    return ["```python", text, "```", ""]


def class_lines(node, source):
    methods = [item for item in node.body if isinstance(item, ast.FunctionDef)]
    init = next((method for method in methods if method.name == "__init__"), None)
    call = code(signature(node.name, init, True)) if init and node.name not in RETURNED else []
    lines = [f"## {node.name}", ""] + call + [description(node, node.name), ""]
    lines += [f"- `{name}`: {text}" for name, text in (attributes(init, source) if init else [])] + [""]
    for method in methods:
        if method.name.startswith("_") or any(isinstance(d, ast.Attribute) for d in method.decorator_list):
            continue  # private, or the setter of a property
        name = f"{node.name}.{method.name}"
        lines += code(name if has_decorator(method, "property") else signature(name, method, True)) + [description(method, name), ""]
    return lines


def values(source):
    """The lines about each value that a module sets behind a comment "#:", by name."""
    lines = source.splitlines()
    return {
        node.target.id: code(f"{node.target.id}: {ast.unparse(node.annotation)}") + [lines[node.lineno - 2][3:], ""]
        for node in ast.parse(source).body
        if isinstance(node, ast.AnnAssign) and lines[node.lineno - 2].startswith("#: ")
    }


def functions_of(path):
    """The lines about a module's public functions."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    name = f"halocline.{path.stem}"
    lines = [f"## {name}", "", description(module, name), ""]
    for node in module.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            lines += code(signature(f"{name}.{node.name}", node, False)) + [description(node, f"{name}.{node.name}"), ""]
    return lines


def python_page(root):
    """A section for each exported name, for each module that a user imports, and for the errors."""
    definitions, sources = {}, {}
    for path in sorted((root / PYTHON).glob("*.py")):
        sources[path] = path.read_text(encoding="utf-8")
        for node in ast.parse(sources[path]).body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                definitions.setdefault(node.name, (node, path))
    package = ast.parse(sources[root / PYTHON / "__init__.py"])
    exported_values = values(sources[root / PYTHON / "__init__.py"])
    exported = next(ast.literal_eval(n.value) for n in package.body if isinstance(n, ast.Assign) and n.targets[0].id == "__all__")
    lines = ["# Python", "", "What `import halocline` offers; [Python](../docs/guide/17-python.md) is the guide's page.", ""]
    for name in exported:
        if name.startswith("__") or name in ("errors", "Error"):
            continue
        if name in exported_values:
            lines += [f"## {name}", ""] + exported_values[name]
            continue
        if name not in definitions:
            raise Missing(f"halocline.{name} is defined in no file of {PYTHON}")
        node, path = definitions[name]
        if isinstance(node, ast.ClassDef):
            lines += class_lines(node, sources[path])
        else:
            lines += [f"## {name}", ""] + code(signature(name, node, False)) + [description(node, name), ""]
    for path in sorted(sources):
        if not path.stem.startswith("_") and path.stem != "errors":
            lines += functions_of(path)
    lines += ["## Errors", "", "Classes of `halocline.errors`.", "", "| class | also | |", "|---|---|---|"]
    for node in ast.parse(sources[root / PYTHON / "errors.py"]).body:
        if isinstance(node, ast.ClassDef):
            lines.append(f"| `{node.name}` | {', '.join(f'`{ast.unparse(base)}`' for base in node.bases)} | {description(node, node.name)} |")
    return "\n".join(lines) + "\n"


def stage(root, folder):
    """Writes the pages into a folder; returns their names."""
    headers = [root / C / "halocline.h"] + sorted((root / C / "halocline_c").glob("*.h"))
    modules = [root / FORTRAN / name for name in ("halocline.f90", "halocline_values.f90", "halocline_arrays.f90", "halocline_files.f90")]
    guide = "[C and Fortran](../docs/guide/18-c-and-fortran.md) is the guide's page."
    pages = {
        "c": listing("C", f"The headers. {guide}", headers, root, folder, "c"),
        "fortran": listing("Fortran", f"The module `halocline`, and the types and constants that it makes public. {guide}", modules, root, folder, "fortran"),
        "python": python_page(root),
    }
    for name, text in pages.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return list(pages)
