# SPDX-License-Identifier: BSD-3-Clause
"""Runs the parts of the suites with a mutant, until one of them fails.

A part is a test of ctest, or one suite of a GoogleTest program. It has a name, a command, an environment and limits of the shell (kinds.py).
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

#: Times the baseline, and at least so many seconds: then a part hangs.
FACTOR, LEAST = 5, 10
#: Properties of tests whose exit code is not their result.
JUDGED_BY_CTEST = {"PASS_REGULAR_EXPRESSION", "FAIL_REGULAR_EXPRESSION", "WILL_FAIL"}
PASSED, FAILED, CRASHED, HUNG = "passed", "failed", "crashed", "hung"


def judgement(status, late):
    """Of the status of a process, as wait() gives it."""
    if late:
        return HUNG
    if os.WIFSIGNALED(status):
        return CRASHED
    code = os.WEXITSTATUS(status)
    # A launcher or a shell passes on the signal of its child as 128 + its number.
    return PASSED if code == 0 else CRASHED if code > 128 else FAILED


def of_session(leader):
    """Processes of a session that are alive."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(words[3]) == leader and words[0] not in "ZX":
            found.append(int(entry.name))
    return found


def end(leader):
    """Ends all processes of the session; a launcher's ranks are groups of their own in it."""
    while alive := of_session(leader):
        for process in alive:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.005)


def run(part, variables, limit):
    """(judgement, seconds, CPU seconds, last lines of the output) of one run of a part."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, tempfile.TemporaryFile() as output:
        environment = os.environ | dict(part["environment"]) | {"TMPDIR": folder} | variables
        begun = time.monotonic()
        process = subprocess.Popen(
            ["/bin/sh", "-c", f'ulimit -c 0 {part["limits"]}; exec "$@"', "sh", *part["command"]], env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
        status, late, pause = None, False, 0.002
        while status is None:
            done, value, usage = os.wait4(process.pid, os.WNOHANG)
            if done:
                status, process.returncode = value, value
            elif not late and time.monotonic() - begun > limit:
                late = True
                end(process.pid)
            else:
                time.sleep(pause)
                pause = min(pause * 1.3, 0.1)
        end(process.pid)
        seconds = time.monotonic() - begun
        output.seek(max(0, output.seek(0, os.SEEK_END) - 20000))
        text = output.read().decode("utf-8", "replace")
    how = judgement(status, late)
    return how, seconds, usage.ru_utime + usage.ru_stime, text


def parts_of(build, wanted, limits=""):
    """The parts of the tests whose names match one of these expressions; several where a test is a program of GoogleTest."""
    shown = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], capture_output=True, text=True, check=True)
    parts, missing = [], set(wanted)
    for test in json.loads(shown.stdout)["tests"]:
        matching = [one for one in wanted if re.fullmatch(one, test["name"])]
        if not matching or "command" not in test:
            continue
        missing -= set(matching)
        properties = {one["name"]: one["value"] for one in test.get("properties", [])}
        if JUDGED_BY_CTEST & set(properties):
            command, environment = ["ctest", "--test-dir", "{build}", "-R", f"^{test['name']}$", "--output-on-failure"], []
        else:
            command, environment = [word.replace(str(build), "{build}") for word in test["command"]], properties.get("ENVIRONMENT", [])
        parts += suites({"name": test["name"], "command": command, "environment": [one.split("=", 1) for one in environment], "limits": limits}, build)
    if missing:
        raise ValueError(f"{build} has no test {', '.join(sorted(missing))}")
    return parts


def suites(part, build):
    command = [word.replace("{build}", str(build)) for word in part["command"]]
    if len(command) > 1:
        return [part]
    listed = subprocess.run([*command, "--gtest_list_tests"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^(\S+)\.(?:\s|$)", listed, re.M)
    return [part | {"name": f"{part['name']}/{name}", "command": [*part["command"], f"--gtest_filter={name}.*", "--gtest_fail_fast"]} for name in names]


def placed(part, build):
    """A part whose programs are in this folder: it may have been copied."""
    return part | {"command": [word.replace("{build}", str(build)) for word in part["command"]]}


def baseline(part, places, build):
    """Runs a part without a mutant. Returns it with its time and what it reaches; None where it fails."""
    with tempfile.NamedTemporaryFile(prefix="mutants-reached-") as file:
        file.truncate(places + 1)
        how, seconds, _, text = run(placed(part, build), {"MUTANT": "0", "MUTANT_REACHED": file.name}, 900)
        file.seek(0)
        reached = [number for number, byte in enumerate(file.read()) if byte and number]
    if how != PASSED:
        return None, text
    return part | {"seconds": round(seconds, 3), "reached": reached}, text


def limit_of(part):
    return max(LEAST, FACTOR * part["seconds"])


def failed_case(text):
    found = re.search(r"^\[  FAILED  \] ([^\s,]+)", text, re.M) or re.search(r"^\[ RUN      \] (\S+)(?!.*\[ RUN)", text, re.M | re.S)
    return found.group(1) if found else ""


def trial(number, parts, build, run_part=run):
    """Runs the parts that reach a mutant, the shortest first. A part that does not fail a second time decides nothing."""
    reaching = sorted((part for part in parts if number in part["reached"]), key=lambda part: part["seconds"])
    result = {"outcome": "survived" if reaching else "not reached", "parts": len(reaching), "runs": 0, "seconds": 0.0, "cpu_s": 0.0}
    for part in reaching:
        for attempt in ("first", "second"):
            how, seconds, cpu, text = run_part(placed(part, build), {"MUTANT": str(number)}, limit_of(part))
            result["runs"] += 1
            result["seconds"] = round(result["seconds"] + seconds, 3)
            result["cpu_s"] = round(result["cpu_s"] + cpu, 3)
            if how == PASSED:
                if attempt == "second":
                    result.setdefault("unsure", []).append(part["name"])
                break
        else:
            return result | {"outcome": "killed", "by": part["name"], "how": how, "case": failed_case(text)}
    return result
