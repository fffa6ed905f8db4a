#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The driver of the mutants, on a small program: which places it finds, what it draws and writes, and how it judges.

Finding places needs libclang (requirements.txt); without it the cases that do are skipped, by name.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import kinds
import mutants
import schemata
import sites
import trial

HERE = pathlib.Path(__file__).resolve().parent
COMPILER = os.environ.get("CXX", "c++")
passed, failures = [], []


def case(function):
    before = len(failures)
    function()
    if len(failures) == before:
        passed.append(function.__name__)


def expect(holds, what):
    if not holds:
        failures.append(f"{sys._getframe(1).f_code.co_name}: {what}")


def site(text, words, kind, pattern=(), file="src/example.cpp", constant=False, occurrence=0):
    """A site of these words; parts of the pattern that are words of the text become places."""
    start = -1
    for _ in range(occurrence + 1):
        start = text.index(words, start + 1)
    return {
        "file": file, "line": text.count("\n", 0, start) + 1, "operator": "by hand", "what": words, "start": start, "end": start + len(words),
        "kind": kind, "pattern": [part if part.startswith(" ") else [start + words.index(part), start + words.index(part) + len(part)] for part in pattern],
        "constant": constant,
    }  # fmt: skip


class Folder:
    """The example as the tree of a project, and its program."""

    def __init__(self, folder):
        self.root = pathlib.Path(folder)
        (self.root / "src").mkdir()
        shutil.copyfile(HERE / "example.cpp", self.root / "src/example.cpp")
        self.text = (self.root / "src/example.cpp").read_text()
        self.tree = schemata.Tree(self.root, self.root / "changed")
        (self.tree.source / "src/core").mkdir(parents=True)
        shutil.copyfile(HERE / "mutant.hpp", self.tree.source / "src" / schemata.HEADER)
        self.program = self.root / "example"

    def build(self):
        source = self.tree.source / "src"
        done = subprocess.run([COMPILER, "-std=c++20", f"-I{source}", str(source / "example.cpp"), "-o", str(self.program)], capture_output=True, text=True, check=False)
        return None if done.returncode == 0 else done.stderr

    def output(self, **variables):
        return subprocess.run([str(self.program)], env=os.environ | variables, capture_output=True, text=True, check=False).stdout.strip()


def each_mutant_is_its_own_program():
    with tempfile.TemporaryDirectory() as name:
        folder = Folder(name)
        chosen = [
            (1, site(folder.text, "a < b && b <= most", "choice", ("a < b", " || ", "b <= most"))),
            (2, site(folder.text, "a < b", "choice", ("a", " <= ", "b"))),
            (3, site(folder.text, "a < b && b <= most", "negated")),
            (4, site(folder.text, "call()", "removed", occurrence=1)),
            (5, site(folder.text, "value + 1", "choice", ("value", " - ", "1"), constant=True)),
        ]
        folder.tree.put(chosen)
        output = folder.build()
        expect(output is None, f"the changed example does not compile: {output}")
        # sum of 0..3, calls, next(6), TWICE(3); a mutant of a constexpr function leaves its static_assert as it is.
        expected = {0: "6 4 7 6", 1: "6 4 7 6", 2: "6 4 7 6", 3: "0 4 1 6", 4: "6 0 7 6", 5: "6 4 5 6", 99: "6 4 7 6"}
        for number, line in expected.items():
            expect(folder.output(MUTANT=str(number)) == line, f"with mutant {number} it prints {folder.output(MUTANT=str(number))}, not {line}")
        reached = folder.root / "reached"
        reached.write_bytes(bytes(7))
        folder.output(MUTANT_REACHED=str(reached))
        expect(list(reached.read_bytes()) == [0, 1, 1, 1, 1, 1, 0], f"reached is {list(reached.read_bytes())}")


def places_that_do_not_compile_are_drawn_again():
    with tempfile.TemporaryDirectory() as name:
        folder = Folder(name)
        text = folder.text
        places = [
            site(text, "most + 1", "choice", ("most", " - ", "1")),  # a constant expression
            site(text, "i < count", "choice", ("i", " <= ", "count")),
            site(text, "total", "choice", (' "text"',), occurrence=1),  # another type
            site(text, "call()", "removed", occurrence=1),
        ]
        kept, left_out = schemata.compiled(folder.tree, places, [0, 1, 2, 3], 2, folder.build)
        expect([number for number, _ in kept] == [2, 4], f"kept are {kept}")
        expect([number for number, _ in left_out] == [1, 3], f"left out are {left_out}")
        expect(folder.output(MUTANT="4") == "6 0 7 6", f"mutant 4 prints {folder.output(MUTANT='4')}")
        try:
            schemata.compiled(folder.tree, places, [0, 1, 2, 3], 3, folder.build)
            expect(False, "three of four places compile")
        except ValueError as error:
            expect("of 4 places 2 compile" in str(error), f"the error is {error}")
        # An error elsewhere is none of a mutant's.
        (folder.root / "src/example.cpp").write_text(text + "\nint unfinished(\n")
        try:
            schemata.compiled(folder.tree, places, [1, 3], 2, folder.build)
            expect(False, "an error of the original is taken for a mutant's")
        except ValueError as error:
            expect("no error is about a mutant" in str(error), f"the error is {error}")


def the_seed_determines_the_draw():
    places = list(range(1000))
    expect(schemata.drawn(places, 1) == schemata.drawn(places, 1), "two draws of one seed differ")
    expect(schemata.drawn(places, 1)[:20] != schemata.drawn(places, 2)[:20], "two seeds draw the same")
    expect(sorted(schemata.drawn(places, 1)) == places, "a draw is no permutation")
    low = sum(place < 500 for seed in range(40) for place in schemata.drawn(places, seed)[:50])
    expect(880 < low < 1120, f"of 2000 drawn places {low} are in the first half")


def part(name, command, seconds=0.1, reached=(1,)):
    return {"name": name, "command": ["/bin/sh", "-c", command], "environment": [["GREETING", "hello"]], "seconds": seconds, "reached": list(reached), "limits": ""}


def ends_of_processes_are_told_apart():
    cases = {"exit 0": trial.PASSED, "exit 1": trial.FAILED, "kill -SEGV $$": trial.CRASHED, "exit 139": trial.CRASHED, "sleep 60": trial.HUNG, '[ "$GREETING" = hello ]': trial.PASSED}
    for command, expected in cases.items():
        how, seconds, _, _ = trial.run(part("shell", command), {}, 0.5)
        expect(how == expected, f"'{command}' {how}, not {expected}")
        expect(seconds < 10, f"'{command}' took {seconds} s")
    # What a part leaves is ended with it.
    with tempfile.TemporaryDirectory() as name:
        mark = pathlib.Path(name) / "process"
        trial.run(part("leaves a process", f"sleep 61 & echo $! > {mark}"), {}, 5)
        expect(not pathlib.Path(f"/proc/{mark.read_text().strip()}").exists() or "Z" in pathlib.Path(f"/proc/{mark.read_text().strip()}/stat").read_text(), "a process is left")


def mutants_are_judged():
    fails = 'test "$MUTANT" != 1'
    parts = [part("slow", fails, 9), part("quick", "exit 0", 1), part("middle", fails, 2), part("elsewhere", fails, 0, (2,))]
    killed = trial.trial(1, parts, "")
    expect((killed["outcome"], killed["by"], killed["how"], killed["runs"]) == ("killed", "middle", "failed", 3), f"killed is {killed}")
    survived = trial.trial(1, parts[1:2], "")
    expect((survived["outcome"], survived["runs"], survived["parts"]) == ("survived", 1, 1), f"survived is {survived}")
    expect(trial.trial(3, parts, "")["outcome"] == "not reached", "a mutant that no part reaches is not so called")
    # A part that fails once is no witness.
    answers = iter([trial.FAILED, trial.PASSED, trial.HUNG, trial.HUNG])
    limits = []

    def run_part(_, variables, limit):
        limits.append(limit)
        expect(variables == {"MUTANT": "1"}, f"the variables are {variables}")
        return next(answers), 1.0, 0.5, "[ RUN      ] Suite.Case\n"

    hung = trial.trial(1, [part("unsteady", "", 1), part("hangs", "", 30)], "", run_part)
    expect((hung["by"], hung["how"], hung["unsure"], hung["cpu_s"], hung["case"]) == ("hangs", "hung", ["unsteady"], 2.0, "Suite.Case"), f"hung is {hung}")
    expect(limits == [10, 10, 150, 150], f"limits are {limits}")


def tests_become_parts():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = folder / "unit_example"
        program.write_text('#!/bin/sh\n[ "$1" = --gtest_list_tests ] && printf "One.\\n  a\\n  b\\nAll/Two.  # TypeParam = int\\n  c\\n"\nexit 0\n')
        program.chmod(0o755)
        (folder / "CTestTestfile.cmake").write_text(
            f'add_test(unit_example "{program}")\nset_tests_properties(unit_example PROPERTIES ENVIRONMENT "GREETING=hello")\n'
            f'add_test(ranks_n2 "/bin/echo" "2")\nadd_test(fails "/bin/false")\nset_tests_properties(fails PROPERTIES WILL_FAIL ON)\nadd_test(other "/bin/true")\n'
        )
        parts = trial.parts_of(folder, ["unit_example", "ranks_n[23]", "fails"])
        expect([one["name"] for one in parts] == ["unit_example/One", "unit_example/All/Two", "ranks_n2", "fails"], f"the parts are {[one['name'] for one in parts]}")
        expect(parts[0]["command"] == ["{build}/unit_example", "--gtest_filter=One.*", "--gtest_fail_fast"], f"its command is {parts[0]['command']}")
        expect(parts[0]["environment"] == [["GREETING", "hello"]], f"its environment is {parts[0]['environment']}")
        result, text = trial.baseline(parts[3], 3, folder)
        expect(result is not None and result["reached"] == [], f"a test that has to fail does not pass: {text}")
        try:
            trial.parts_of(folder, ["absent"])
            expect(False, "a test that is absent is no error")
        except ValueError as error:
            expect("has no test absent" in str(error), f"the error is {error}")


def a_kernel_has_the_number_in_its_program():
    with tempfile.TemporaryDirectory() as name:
        build = pathlib.Path(name)
        (build / "bin").mkdir()
        (build / "data").mkdir()
        program = b"begin" + kinds.CHOSEN + b"middle" + kinds.CHOSEN
        (build / "bin/gpu_example").write_bytes(program)
        with kinds.KERNELS.programs(build, 258) as copy:
            content = (copy / "bin/gpu_example").read_bytes()
            expect(content == b"begin\2\1\0\0middle\2\1\0\0", f"the program is {content}")
            expect(os.access(copy / "bin/gpu_example", os.X_OK) and (copy / "data").resolve() == (build / "data").resolve(), "it cannot run there")
        expect((build / "bin/gpu_example").read_bytes() == program and not copy.exists(), "the build has changed, or its copy is left")
    text = (HERE / "mutant.hpp").read_text()
    expect(text.count(f"= {int.from_bytes(kinds.CHOSEN, 'little'):#x};") == 2, "mutant.hpp has another constant than kinds.py")


def the_suites_are_tests_of_this_build():
    """Of the build that this is a test of, which has all of them where it has MPI and CUDA. Another ctest would begin that build's log anew."""
    tests = pathlib.Path(os.environ["MUTANTS_TEST_BUILD"]) / "tests"
    names = [name for file in tests.rglob("CTestTestfile.cmake") for name in re.findall(r"^add_test\((?:\[=*\[)?(\w+)", file.read_text(encoding="utf-8"), re.M)]
    built = [kinds.HOST] + [kinds.KERNELS] * ("gpu_device" in names)
    wanted = [one for kind in built for one in kind.tests | (kind.mpi_tests if "mpi_comm_n2" in names else {})]
    absent = [one for one in wanted if not any(re.fullmatch(one, name) for name in names)]
    expect(not absent, f"no test is {', '.join(absent)}")


def an_interrupted_run_goes_on():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        listed = [{"number": number, "file": "src/comm/a.cpp", "line": number, "operator": "call", "what": "f()", "before": "f();", "after": "{};"} for number in range(1, 51)]
        mutants.save(folder / "mutants.json", {"seed": 1, "commit": "abc", "mutants": listed})
        mutants.save(folder / "parts.json", [{"name": "a"}])
        given = argparse.Namespace(measure=False, shard="1/1", out=folder / "results.jsonl", first=None, number=[], jobs=1)
        judged = []

        def judge(number, *_):
            judged.append(number)
            if judged == [1, 2]:
                raise KeyboardInterrupt
            time.sleep(0.01)
            return {"outcome": "survived", "seconds": 0.0, "parts": 1, "cpu_s": 0.0}

        kept, trial.trial = trial.trial, judge
        try:
            code = mutants.run(folder, given)
            first = len(judged)
            code = (code, mutants.run(folder, given))
        finally:
            trial.trial = kept
        expect(code == (130, 0) and first < 50, f"the codes are {code}, and {first} were judged before the interrupt")
        expect(sorted(judged) == sorted([2, *range(1, 51)]), f"judged were {judged}")
        expect(len(mutants.rows_of([given.out])) == 50, "a row is missing")


def tables_add_up():
    rows = [{"file": f"src/{name}/a.cpp", "operator": "call", "outcome": outcome, "how": how}
            for name, outcome, how in (("comm", "killed", "failed"), ("comm", "survived", ""), ("plan", "killed", "hung"), ("plan", "not reached", ""))]  # fmt: skip
    for row in rows:
        if not row["how"]:
            del row["how"]
    lines = mutants.table(rows, mutants.folder_of)
    expect(lines[2:] == ["| src/comm | 2 | 1 | 1 | 0 | 0 | 1 | 0 |", "| src/plan | 2 | 1 | 0 | 0 | 1 | 0 | 1 |", "| all | 4 | 2 | 1 | 0 | 1 | 1 | 1 |"], f"the table is {lines}")


def survivors_need_a_reason():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        row = {"number": 3, "file": "src/comm/a.cpp", "line": 7, "operator": "call", "before": "f();", "after": "{};", "outcome": "survived", "parts": 2, "cpu_s": 1.5}
        mutants.save(folder / "survivors.json", [{key: row[key] for key in ("file", "before", "after")} | {"reason": "f() is for people"}])

        def report(*rows):
            (folder / "results.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
            return subprocess.run(
                [sys.executable, "-B", str(HERE / "mutants.py"), "report", name, str(folder / "results.jsonl"), "--survivors", str(folder / "survivors.json")],
                capture_output=True, text=True, check=False,
            )  # fmt: skip

        killed = row | {"number": 4, "outcome": "killed", "how": "failed"}
        done = report(row, killed)
        expect(done.returncode == 0 and "2 mutants, 1 killed, 1 left with a reason, 0 without" in done.stdout, f"with a reason: {done.stdout}")
        done = report(row | {"after": "g();"}, killed)
        expect(done.returncode == 1 and "NO REASON" in done.stdout, f"without a reason: {done.returncode}, {done.stdout}")
        done = report(row | {"after": "g();"}, row | {"outcome": "killed", "how": "hung"})
        expect(done.returncode == 0 and "1 mutants, 1 killed" in done.stdout, f"of two rows of one mutant the last counts: {done.stdout}")


def places_of_the_example():
    from clang import cindex

    with tempfile.TemporaryDirectory() as name:
        folder = Folder(name)
        finder = sites.Finder(cindex, folder.root, ["src"])
        finder.read(str(folder.root / "src/example.cpp"), ["-std=c++20", *sites.compiler_headers(COMPILER)])
        found = [finder.found[key] for key in sorted(finder.found)]
        shown = sorted((one["line"], one["operator"], one["what"]) for one in found)
        lines = folder.text.splitlines()

        def line(words):
            return next(number for number, text in enumerate(lines, 1) if words in text)

        expected = sorted([
            (line("bool fits"), "logical", "&& -> ||"), (line("bool fits"), "relational", "< -> <="), (line("bool fits"), "relational", "<= -> <"),
            (line("posted{0}"), "constant", "0 -> 0 + 1"), (line("int calls"), "constant", "0 -> 0 + 1"), (line("bool fits"), "returned bool", "not the returned value"), (line("void call"), "assignment", "without ++calls"),
            (line("int next"), "arithmetic", "+ -> -"), (line("int next"), "constant", "1 -> 1 + 1"),
            (line("int total = 0"), "constant", "0 -> 0 + 1"), (line("for (int"), "constant", "0 -> 0 + 1"), (line("for (int"), "relational", "< -> <="),
            (line("for (int"), "condition", "not the condition"), (line("if (fits"), "condition", "not the condition"), (line("if (fits"), "arithmetic", "+= -> -="),
            (line("if (fits"), "assignment", "without total += i"), (line("    call();"), "call", "without call()"),
            (line("case 6"), "memory order", "std::memory_order_release -> relaxed"), (line("case 6"), "call", "without posted.store(total, std::memory_order_release)"),
            (line("sum(4)"), "constant", "4 -> 4 + 1"), (line("std::printf"), "memory order", "std::memory_order_acquire -> relaxed"),
            (line("std::printf"), "call", "without " + " ".join(lines[line("std::printf") - 1].split())[:-1][:80]),
        ])  # fmt: skip
        expect(shown == expected, f"missing: {[one for one in expected if one not in shown]}, too many: {[one for one in shown if one not in expected]}")
        # All of them at once are a program, which does what the example does.
        kept, left_out = schemata.compiled(folder.tree, found, schemata.drawn(found, 1), len(found), folder.build)
        expect((len(kept), left_out) == (len(expected), []), f"left out are {left_out}")
        expect(folder.output() == "6 4 7 6", f"without a mutant it prints {folder.output()}")
        differ = [number for number, _ in kept if folder.output(MUTANT=str(number)) != "6 4 7 6"]
        expect(len(differ) >= 12, f"only {differ} change what it prints")


def main():
    for one in (each_mutant_is_its_own_program, places_that_do_not_compile_are_drawn_again, the_seed_determines_the_draw, ends_of_processes_are_told_apart, mutants_are_judged, tests_become_parts, a_kernel_has_the_number_in_its_program, an_interrupted_run_goes_on, tables_add_up, survivors_need_a_reason):
        case(one)
    if "MUTANTS_TEST_BUILD" in os.environ:
        case(the_suites_are_tests_of_this_build)
    else:
        print("skipped: the_suites_are_tests_of_this_build, as a build with sanitizers lacks some")
    try:
        import clang.cindex  # noqa: F401

        case(places_of_the_example)
    except ImportError:
        print("skipped: places_of_the_example, as Python's module clang is missing (tests/reliability/mutants/requirements.txt)")
    for failure in failures:
        print(f"FAILED: {failure}", file=sys.stderr)
    print(f"cases passed: {len(passed)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
