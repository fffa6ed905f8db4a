#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Builds the documentation site: the guide, the other documents, and a reference: the headers in include/halocline, C, Fortran and Python.

    build.py ROOT OUTPUT

Doxygen reads the headers, Sphinx with MyST and Breathe makes OUTPUT/html. All that is generated lies under OUTPUT. A warning of either tool is
an error. Prints how many pages and symbols there are. Exits with 77, and names what is absent, where a tool is not installed
(scripts/install_dependencies.sh docs).
"""

import fnmatch
import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import languages

HERE = pathlib.Path(__file__).resolve().parent
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
COMMENT = re.compile(r"[ \t]*<!--.*?-->", re.S)
FENCE = re.compile(r"^```.*?^```$", re.M | re.S)


class Failure(Exception):
    """What stopped the build; the text is for the user."""


def absent_tools():
    """The tools and Python modules that are not installed."""
    absent = [tool for tool in ("doxygen", "sphinx-build") if not shutil.which(tool)]
    if sys.version_info < (3, 9):
        absent.append("Python 3.9")  # ast.unparse
    sphinx = shutil.which("sphinx-build")
    if sphinx:
        # The modules must be those of the Python that runs Sphinx.
        first_line = pathlib.Path(sphinx).read_text(encoding="utf-8", errors="replace").split("\n", 1)[0]
        python = first_line[2:].split() if first_line.startswith("#!") else [sys.executable]
        for module in ("breathe", "myst_parser"):
            if subprocess.run(python + ["-c", f"import {module}"], capture_output=True, check=False).returncode != 0:
                absent.append(f"the Python module {module}")
    return absent


FIRST = ["0-start.md", "quick-start.md", "how-to.md"]


def natural(path):
    """Orders 10-profile.md behind 9-numbers.md; the pages to begin with come first."""
    return [FIRST.index(path.name)] if path.name in FIRST else [len(FIRST)] + [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", path.name)]


def documents(root):
    """The pages that are part of the site, in the order of its table of contents, by part."""
    docs = root / "docs"
    return {
        "Guide": sorted((docs / "guide").glob("*.md"), key=natural),
        "Measurements": sorted((docs / "measurements").glob("*.md"), key=natural),
        "Project": [path for path in (root / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/reliability.md", "CHANGELOG.md")) if path.is_file()],
        "Decisions": [docs / "decisions" / "README.md"] + sorted((docs / "decisions").glob("[0-9]*.md")),
    }


def stage_page(path, root, staged, source):
    """Copies a page; links to files that are not part of the site become their text, and comments go."""
    def link(match):
        image, text, target = match.groups()
        name, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target) or not name:
            return match.group()
        place = (path.parent / name).resolve()
        if place.is_dir() and place / "README.md" in staged:
            return f"[{text}]({name.rstrip('/')}/README.md)"
        if place in staged or image:
            return match.group()
        return text

    text, out, end = path.read_text(encoding="utf-8"), [], 0
    for fence in list(FENCE.finditer(text)) + [None]:
        begin = fence.start() if fence else len(text)
        out.append(LINK.sub(link, COMMENT.sub("", text[end:begin])))
        if fence:
            out.append(fence.group())
            end = fence.end()
    target = source / path.relative_to(root)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("".join(out), encoding="utf-8")


def toctree(caption, entries):
    return "\n".join(["```{toctree}", ":maxdepth: 1", f":caption: {caption}", ""] + entries + ["```", ""])


def groups():
    """The parts of the reference: title, patterns of header names, description."""
    found = []
    for line in (HERE / "groups.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            title, patterns, description = (part.strip() for part in line.split("|"))
            found.append((title, patterns.split(), description))
    return found


def directive(kind, name, options=()):
    return "\n".join([f"```{{{kind}}} {name}", ":project: halocline"] + [f":{option}:" for option in options] + ["```", ""])


def compounds(xml):
    """What Doxygen found: classes, namespaces and files, as elements of its XML."""
    return [ElementTree.parse(path).getroot().find("compounddef") for path in sorted(xml.glob("*.xml")) if path.name not in ("index.xml", "Doxyfile.xml")]


def is_shown(name):
    return "detail::" not in name and not name.startswith("std::")


def entries_by_header(xml):
    """What each header declares, in directives of Breathe: classes, then members of namespaces, in the order of their lines."""
    found, all_compounds = {}, compounds(xml)
    names = {compound.findtext("compoundname") for compound in all_compounds if compound.get("kind") in ("class", "struct")}
    for compound in all_compounds:
        name, kind = compound.findtext("compoundname"), compound.get("kind")
        if kind in ("class", "struct") and compound.get("prot") == "public" and is_shown(name) and name.rpartition("::")[0] not in names:
            entry = directive(f"doxygen{kind}", name, ("members", "undoc-members"))
            found.setdefault(compound.find("location").get("file"), []).append((0, int(compound.find("location").get("line")), entry))
        elif kind in ("namespace", "file"):
            for member in compound.iter("memberdef"):
                kind, name, place = member.get("kind"), member.findtext("qualifiedname") or member.findtext("name"), member.find("location")
                if is_shown(name) and kind in ("function", "enum", "typedef", "variable", "define"):
                    declared = place.get("declfile") or place.get("file")
                    entry = directive(f"doxygen{kind}", name + (member.findtext("argsstring") if kind == "function" else ""))
                    found.setdefault(declared, []).append((1, int(place.get("declline") or place.get("line")), entry))
    return {header: [entry for _, _, entry in sorted(set(entries))] for header, entries in sorted(found.items())}


def stage_reference(headers, source):
    """Writes a page for each group of headers (directives by header); what no group names is in the last one. Returns the pages' names."""
    folder = source / "reference"
    folder.mkdir()
    parts, left = [], list(headers)
    for title, patterns, description in groups():
        chosen = [name for name in left if any(fnmatch.fnmatchcase(pathlib.Path(name).name, pattern) for pattern in patterns)]
        left = [name for name in left if name not in chosen]
        if chosen:
            parts.append((title, description, chosen))
    if left:
        parts.append(("More", "Headers of other parts.", left))
    names = []
    for title, description, chosen in parts:
        name = re.sub(r"[^a-z]+", "-", title.lower()).strip("-")
        lines = [f"# {title}", "", description, ""]
        for header in chosen:
            lines += [f"## {header}", ""] + headers[header]
        (folder / f"{name}.md").write_text("\n".join(lines), encoding="utf-8")
        names.append(name)
    return names


def symbols(xml):
    """How many public symbols there are, and how many have a description."""
    found = {}
    for compound in compounds(xml):
        is_class = compound.get("kind") in ("class", "struct")
        if not is_shown(compound.findtext("compoundname")) or (is_class and compound.get("prot") != "public"):
            continue
        for definition in [compound] * is_class + list(compound.iter("memberdef")):
            if definition.get("prot") == "public" and definition.get("kind") != "friend":
                described = (definition.find(part) for part in ("briefdescription", "detaileddescription"))
                found[definition.get("id")] = any(part is not None and "".join(part.itertext()).strip() for part in described)
    return len(found), sum(found.values())


def run(command, what):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    said = (result.stdout + result.stderr).strip()
    if result.returncode != 0:
        raise Failure(f"{what} ended with {result.returncode}:\n{said}")


def build(root, output):
    source, xml = output / "source", output / "xml"
    for folder in (source, xml, output / "doctrees", output / "html"):
        shutil.rmtree(folder, ignore_errors=True)
    source.mkdir(parents=True)
    version = re.search(r"project\(halocline VERSION ([\d.]+)", (root / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)

    values = {"ROOT": str(root), "XML": str(xml), "VERSION": version}
    settings = re.sub(r"@(\w+)@", lambda m: values[m[1]], (HERE / "Doxyfile.in").read_text(encoding="utf-8"))
    (output / "Doxyfile").write_text(settings, encoding="utf-8")
    run(["doxygen", str(output / "Doxyfile")], "doxygen")

    parts = documents(root)
    staged = {path.resolve() for paths in parts.values() for path in paths}
    for path in staged:
        stage_page(path, root, staged, source)
    images = root / "docs" / "images"
    shutil.copytree(images, source / images.relative_to(root))
    entries = {part: [str(path.relative_to(root).with_suffix("")) for path in paths] for part, paths in parts.items()}
    reference = [f"reference/{name}" for name in stage_reference(entries_by_header(xml), source)]
    try:
        reference += [f"reference/{name}" for name in languages.stage(root, source / "reference")]
    except languages.Missing as missing:
        raise Failure(str(missing)) from None
    index = (HERE / "index.md.in").read_text(encoding="utf-8")
    trees = [toctree("Guide", entries["Guide"]), toctree("Reference", reference)]
    trees += [toctree(part, entries[part]) for part in ("Project", "Measurements", "Decisions") if entries[part]]
    (source / "index.md").write_text(index + "\n" + "\n".join(trees), encoding="utf-8")
    shutil.copy(HERE / "conf.py", source)

    os.environ.update(HALOCLINE_DOCS_XML=str(xml), HALOCLINE_DOCS_VERSION=version)
    run(["sphinx-build", "-b", "html", "-W", "--keep-going", "-q", "-d", str(output / "doctrees"), str(source), str(output / "html")], "sphinx-build")
    count, documented = symbols(xml)
    print(f"site: {output / 'html' / 'index.html'}")
    print(f"symbols in the reference: {count}, {documented} of them with a description")
    print(f"cases passed: {len(list(source.rglob('*.md')))}")


def main(arguments):
    absent = absent_tools()
    if absent:
        print(f"docs_reference: skipped: not installed: {', '.join(absent)}")
        return 77
    root, output = (pathlib.Path(name).resolve() for name in arguments)
    try:
        build(root, output)
    except Failure as failure:
        print(f"FAILED: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
