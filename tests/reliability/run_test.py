#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""run.py with programs that answer as the parts do: which seeds it takes, what it writes, and how it ends."""

import json
import pathlib
import subprocess
import sys
import tempfile

RUN = pathlib.Path(__file__).with_name("run.py")
failures = []


def expect(holds, what):
    if not holds:
        failures.append(what)


def answer(failing=()):
    """A program that takes --first and --runs, or --count; seeds in `failing` fail. With --only it would not try all seeds."""
    return f"""#!{sys.executable}
import sys
if "--only" in sys.argv: sys.exit("--only")
first, count = (int(sys.argv[sys.argv.index(name) + 1]) for name in ("--first", "--count" if "--count" in sys.argv else "--runs"))
failed = len([seed for seed in {list(failing)} if first <= seed < first + count])
print(f"part: seeds {{first}} to {{first + count - 1}}, corpus of 1: 1 valid, 1 refused, {{failed}} failed, longest 0.250 s (seed 1)")
print(f"cases passed: {{count - failed}}")
sys.exit(1 if failed else 0)
"""


def build(folder, programs):
    """A build folder in which ctest finds these tests."""
    tests = []
    for name, text in programs.items():
        program = folder / f"{name}.py"
        program.write_text(text)
        program.chmod(0o755)
        tests.append(f'add_test({name} "{program}" "--runs" "7" "--only" "MPI_")' if name[0] in "fl" else f'add_test({name} "{program}")')
    (folder / "CTestTestfile.cmake").write_text("\n".join(tests) + "\n")


def run(folder, *words):
    command = [sys.executable, "-B", str(RUN), "--ledger", str(folder / "ledger.json"), "--page", str(folder / "page.md"), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        build(folder, {"fuzz_wire": answer(), "cli_command_lines": answer()})
        done = run(folder, str(folder), "--minutes", "0.001")
        rows = json.loads((folder / "ledger.json").read_text())
        expect(done.returncode == 0, f"a run without failures ends with {done.returncode}: {done.stderr}")
        expect([(row["part"], row["first"]) for row in rows] == [("fuzz_wire", 0), ("cli_command_lines", 0)], f"rows are {rows}")
        expect(rows[0]["end"] >= 1000 and rows[0]["longest_s"] == 0.25, f"the first row is {rows[0]}")
        expect(run(folder, "--check").returncode == 0, "the page is the ledger's")

        run(folder, str(folder), "--minutes", "0.001")
        again = json.loads((folder / "ledger.json").read_text())
        expect(again[:2] == rows, "rows of earlier runs stay")
        expect(again[2]["first"] == rows[0]["end"], "a run takes seeds that no run has taken")

        (folder / "page.md").write_text("another page\n")
        expect(run(folder, "--check").returncode == 1, "a page that is not the ledger's is noticed")
        expect(run(folder, "--write").returncode == 0 and run(folder, "--check").returncode == 0, "--write writes the ledger's page")

        bad = again[2]["end"] + 5
        build(folder, {"fuzz_wire": answer([bad])})
        done = run(folder, str(folder), "--minutes", "0.001")
        last = json.loads((folder / "ledger.json").read_text())[-1]
        expect(done.returncode == 1 and last["failed"] == 1 and last["first"] <= bad < last["end"], f"a seed fails: {done.returncode}, {last}")
        line = f"`fuzz_wire`, {last['first']} to {last['end'] - 1}, commit {last['commit']}: 1: "
        expect(line + "open" in (folder / "page.md").read_text(), "the page names the range of a seed that failed")
        rows = json.loads((folder / "ledger.json").read_text())
        (folder / "ledger.json").write_text(json.dumps([*rows[:-1], {**rows[-1], "cause": "a wrong length (1234567890)"}]))
        run(folder, "--write")
        expect(line + "a wrong length" in (folder / "page.md").read_text(), "the page names the cause")

        two_cases = "if sys.argv[sys.argv.index('--jobs') + 1] != '2': sys.exit('not 2 cases at a time')\nfirst, count"
        build(folder, {"fuzz_wire": answer(), "losses": answer().replace("first, count", two_cases, 1)})
        done = run(folder, str(folder), "--minutes", "0.001", "--jobs", "8")
        last = json.loads((folder / "ledger.json").read_text())[-2:]
        expect(done.returncode == 0 and all(row["jobs"] == 8 for row in last), f"eight cores: {done.returncode}, {done.stderr}, {last}")
        batches = done.stdout.count("part: seeds") - 1  # losses has one
        expect(batches >= 8 and last[0]["end"] - last[0]["first"] >= 1000 * batches, f"eight batches at a time: {batches}, {last[0]}")
        expect(run(folder, str(folder), "--jobs", "0").returncode == 2, "--jobs 0 is refused")

        bad = max(row["end"] for row in last if row["part"] == "fuzz_wire") + 5
        build(folder, {"fuzz_wire": answer([bad])})
        done = run(folder, str(folder), "--minutes", "0.02", "--jobs", "1", "--keep-going")
        row = json.loads((folder / "ledger.json").read_text())[-1]
        expect(row["end"] > row["first"] + 1000 and row["failed"] == 1, f"--keep-going: {done.returncode}, {row}")

        build(folder, {"fuzz_wire": f"#!{sys.executable}\nimport sys\nsys.exit('no such library')\n"})
        done = run(folder, str(folder), "--minutes", "0.001")
        expect(done.returncode == 2 and "no such library" in done.stderr, f"a program that cannot be run: {done.returncode}, {done.stderr}")
        sites = answer().replace('print(f"cases', 'print("sites failed: 9 of 3000; known limits: 0; longest 0.1 s")\nprint(f"cases')
        build(folder, {"fault_threads": sites})
        (folder / "ledger.json").unlink()
        done = run(folder, str(folder), "--minutes", "0.001")
        row = json.loads((folder / "ledger.json").read_text())[-1]
        tried = row["end"] - row["first"]
        share = f"`fault_threads`: {min(tried, 3000):,} of 3,000 sites ({100 * min(tried, 3000) // 3000} %)"
        expect(row.get("sites") == 3000 and share in (folder / "page.md").read_text(), f"the page has the share of the sites, {share}: {row}")
        over = answer().replace('print(f"cases', 'print("over the timeout of 3.0 s: p50 0.1 s, p99 0.25 s, most 0.75 s, of 40 errors; longest 0.1 s")\nprint(f"cases')
        build(folder, {"fuzz_wire": answer(), "losses": over})
        (folder / "ledger.json").unlink()
        done = run(folder, str(folder), "--minutes", "0.001")
        row = json.loads((folder / "ledger.json").read_text())[-1]
        shown = f"In `losses`, ranks that were not lost reported {row.get('errors'):,} errors, at most 0.25 s after the timeout (99 of 100, in the slowest batch), 0.75 s (all)"
        expect(row.get("errors", 0) >= 40 and shown in (folder / "page.md").read_text(), f"the page has how late errors of losses are: {row}")
        build(folder, {"fuzz_wire": answer(), "fuzz_matrix": answer(), "losses": answer()})
        (folder / "ledger.json").unlink()
        done = run(folder, str(folder), "--minutes", "0.001", "--only", "losses", "--only", "fuzz_wire")
        parts = sorted(row["part"] for row in json.loads((folder / "ledger.json").read_text()))
        expect(done.returncode == 0 and parts == ["fuzz_wire", "losses"], f"--only runs these parts: {parts}, {done.stderr}")
        done = run(folder, str(folder), "--only", "fuzz")
        expect(done.returncode == 2 and "--only" in done.stderr, f"--only of no part: {done.returncode}, {done.stderr}")
        build(folder, {"other": answer()})
        done = run(folder, str(folder), "--minutes", "0.001")
        expect(done.returncode == 2 and "has none of the tests" in done.stderr, f"a folder without the tests: {done.returncode}, {done.stderr}")
    for failure in failures:
        print(f"FAILED: {failure}")
    print(f"cases passed: {19 - len(failures)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
