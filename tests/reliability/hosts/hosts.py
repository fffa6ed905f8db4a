#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs halocline on odd hosts, which are namespaces and limits of this one: it works, or each rank ends with one error line.

    hosts.py HALOCLINE [--mpiexec "mpiexec FLAGS"] [--only NAME] [--clock LIBRARY]

On each host four devices of one process, and two processes with two devices each, exchange and compare every cell. Then a process of another
user tries to read what a running job has in memory. Where the MPI cannot start a program, or fails in MPI_Init with an error of its own, two
processes are skipped by name. Needs root, or ends with 77. Prints "cases passed: N"; exit code 1 if a case failed.
"""

import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

LIMIT_S = 30
LONGEST_LINE = 400
USER, OTHER = 64001, 64002
AS_USER = f"setpriv --reuid {USER} --regid {USER} --clear-groups"
ALONE = "--backend host --devices 4"
PAIR = "--backend host --devices-per-rank 2"
WORK = "--size 12 --radius 2 --repeat 2 --warm-up 1 --steady 20 --verify --timeout 20"

#: By name: what is run as root in namespaces of its own (mount, PID, network, IPC), before the command; $RUN is the prefix of the command.
HOSTS = {
    "plain": "",
    "second_user": f'RUN="{AS_USER}"',
    "unreadable_executable": f'chmod 711 "$PROGRAM"; RUN="{AS_USER}"',
    "proc_of_another_pid_namespace": "umount /proc",
    "hidepid": f'mount -t proc -o hidepid=2 proc /proc; RUN="{AS_USER}"',
    "tiny_dev_shm": "mount -t tmpfs -o size=16k tmpfs /dev/shm",
    "no_dev_shm": "mount -t tmpfs -o mode=755 tmpfs /dev; for d in null:3 zero:5 random:8 urandom:9; do mknod -m 666 /dev/${d%:*} c 1 ${d#*:}; done",
    "read_only_root": "mount -o remount,bind,ro / 2>/dev/null || { mount --bind / /; mount -o remount,bind,ro /; }; mount -t tmpfs tmpfs /tmp",
    "read_only_root_and_tmp": "mount --bind / /; mount -o remount,bind,ro /",
    "no_proc": "mount -t tmpfs -o ro tmpfs /proc",
    "no_sys": "mount -t tmpfs -o ro tmpfs /sys",
    "full_tmp": "mount -t tmpfs -o size=16k,nr_inodes=8 tmpfs /tmp; dd if=/dev/zero of=/tmp/full bs=1k count=64 2>/dev/null || true",
    "few_descriptors": "ulimit -n 24",
    "very_few_descriptors": "ulimit -n 12",
    "little_address_space": "ulimit -v 600000",
    "few_threads": f'RUN="{AS_USER}"; ulimit -u 3',
    "small_stack": "ulimit -s 256",
    "files_of_no_size": "ulimit -f 0",
    "no_locked_memory": "ulimit -l 0",
    "one_core": 'RUN="taskset -c 0"',
    "network_without_loopback": "ip link set lo down",
    "clock_that_jumps": 'RUN="env LD_PRELOAD=$CLOCK"',
}

#: Where the launcher of Open MPI 4.1 waits for ever, whatever program it is to start.
NO_LAUNCHER = {"few_descriptors", "very_few_descriptors", "network_without_loopback"}

#: A process of another user: what it can read of the job in the process groups given. Prints a line for each thing.
PROBE = r"""
import ctypes, glob, os, sys
user, secret = int(sys.argv[1]), bytes.fromhex(sys.argv[2])
libc = ctypes.CDLL(None, use_errno=True)
def owner(pid):
    try: return os.stat("/proc/" + pid).st_uid
    except OSError: return -1
jobs = [p for p in os.listdir("/proc") if p.isdigit() and owner(p) == user]
def found(what): print("read:", what)
def holds(path):
    with open(path, "rb", buffering=0) as f: return secret in f.read(1 << 24)
tried = 0
for pid in jobs:
    for path in [f"/proc/{pid}/mem", f"/proc/{pid}/maps", f"/proc/{pid}/environ"] + [f"/proc/{pid}/fd/{n}" for n in range(256)] + glob.glob(f"/proc/{pid}/map_files/*"):
        tried += 1
        try:
            with open(path, "rb", buffering=0) as file:  # what is left of a process that ended opens, and is empty
                if path.endswith("/mem") or file.read(1): found(path)
        except OSError: pass
    tried += 1
    if libc.ptrace(16, int(pid), 0, 0) == 0: found(f"ptrace of {pid}")
for folder in ("/dev/shm", "/tmp", "/var/tmp"):
    for top, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(top, name)
            try:
                if os.lstat(path).st_uid != user: continue
                tried += 1
                if holds(path): found(path)
            except OSError: pass
for line in open("/proc/sysvipc/shm").read().splitlines()[1:]:
    words = line.split()
    if int(words[7]) != user: continue
    tried += 1
    libc.shmat.restype = ctypes.c_void_p
    at = libc.shmat(int(words[1]), None, 0o10000)
    if at not in (None, ctypes.c_void_p(-1).value): found("System V segment " + words[1])
for line in open("/proc/net/unix"):
    if "@" in line and "halocline" in line:
        tried += 1
        found(line.split()[-1])
print("processes", len(jobs), "tried", tried)
"""


class Case:
    """A folder with a copy of the program, that every user can reach."""

    def __init__(self, given):
        self.given = given
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="halocline-hosts-", dir="/var/tmp"))
        self.folder.chmod(0o755)
        self.program = self.folder / "halocline"
        shutil.copy(given.program, self.program)
        self.program.chmod(0o755)
        self.clock = self.folder / "clock.so"
        if given.clock:
            shutil.copy(given.clock, self.clock)
            self.clock.chmod(0o755)
        self.home = self.folder / "home"
        self.home.mkdir()
        os.chown(self.home, USER, USER)

    def run(self, setup, command):
        """Exit code (negative: signal; None: too late) and output of the command on a host."""
        script = f"set -e; mount --make-rprivate /; mount -t proc proc /proc; ip link set lo up; RUN=; {setup}\ncd {self.home}; exec $RUN {command}"
        environment = {
            **{key: value for key, value in os.environ.items() if not re.match(r"OMPI_|PMIX_|HALOCLINE_|LD_PRELOAD|TMPDIR", key)},
            "HOME": str(self.home),
            "PROGRAM": str(self.program),
            "CLOCK": str(self.clock),
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
        }
        child = subprocess.Popen(
            ["unshare", "--mount", "--pid", "--net", "--ipc", "--fork", "--kill-child", "bash", "-c", script],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", env=environment, start_new_session=True,
        )
        try:
            output = child.communicate(timeout=LIMIT_S)[0]
            return child.returncode, output
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            return None, child.communicate()[0]

    def mpiexec(self, arguments):
        return f"{self.given.mpiexec} -n 2 {arguments}"

    def why_no_mpi(self, setup, output):
        """Why the MPI itself does not work on a host; empty if it does."""
        if "halocline: " in output:
            return ""
        if re.search(r"An error occurred in MPI_Init|MPI_INIT has failed|MPI_Init.* failed|vader_segment|ORTE_ERROR_LOG", output):
            return "MPI_Init fails there"
        return "" if self.run(setup, self.mpiexec("true"))[0] == 0 else "the MPI starts no program there"


def wrong_with(code, output):
    """What is wrong with how a program ended; empty if nothing is."""
    if code is None:
        return f"it did not end within {LIMIT_S} s"
    if code < 0 or code >= 128 or "terminate called" in output:
        return f"it ended by a signal, or with exit code {code}"
    if code == 0:
        return "" if re.search(r"verified|all halo cells|0 wrong", output) else "it ended with 0 and verified nothing"
    errors = [line for line in output.splitlines() if line.startswith("halocline: error: ")]
    if not errors:
        return f"exit code {code} without an error line"
    if any(re.search(r"error: (Resource temporarily|Cannot allocate|No such file|Permission)", line) for line in errors):
        return "an error line that names nothing"
    long = [line for line in errors if len(line) > LONGEST_LINE or not line.isprintable()]
    return f"an error line of {len(long[0])} characters" if long else ""


def probe(case):
    """A job of one user, and what a process of another one reads of it."""
    job = subprocess.Popen(
        f"cd {case.home}; exec {AS_USER} {case.mpiexec(f'{case.program} exchange {PAIR} --size 24 --repeat 1 --steady 100000000')}",
        shell=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, env={**os.environ, "HOME": str(case.home)},
    )
    try:
        time.sleep(4)
        done = subprocess.run(
            ["setpriv", "--reuid", str(OTHER), "--regid", str(OTHER), "--clear-groups", sys.executable, "-I", "-c", PROBE, str(USER), "00" * 64],
            capture_output=True, text=True, timeout=LIMIT_S, check=False,
        )
    finally:
        os.killpg(job.pid, signal.SIGKILL)
        job.wait()
        subprocess.run(["pkill", "-9", "-u", str(USER)], check=False)
    counted = re.search(r"^processes (\d+) tried (\d+)$", done.stdout, re.M)
    if not counted or int(counted.group(1)) < 3:
        return f"the probe found no job: {done.stdout}{done.stderr}"
    print(f"  {counted.group(2)} ways tried, {counted.group(1)} processes")
    return "; ".join(re.findall(r"^read: .*$", done.stdout, re.M))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--mpiexec", default="")
    parser.add_argument("--only")
    parser.add_argument("--clock", type=pathlib.Path)
    given = parser.parse_args()
    if os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "--pid", "--net", "--ipc", "--fork", "mount", "--make-rprivate", "/"], capture_output=True, check=False).returncode != 0:
        print("skipped: namespaces need root")
        return 77
    case = Case(given)
    passed, failed = 0, 0
    try:
        for name, setup in HOSTS.items():
            if given.only not in (None, name) or (name == "clock_that_jumps" and not given.clock):
                continue
            commands = {"alone": f"{case.program} exchange {ALONE} {WORK}"}
            if given.mpiexec and name in NO_LAUNCHER:
                print(f"skipped: {name}, two ranks: the launcher of MPI waits for ever", flush=True)
            elif given.mpiexec:
                commands["two ranks"] = case.mpiexec(f"{case.program} exchange {PAIR} {WORK}")
            for kind, command in commands.items():
                case.program.chmod(0o755)
                begun = time.monotonic()
                code, output = case.run(setup, command)
                took = time.monotonic() - begun
                wrong = wrong_with(code, output)
                if wrong and kind == "two ranks" and (why := case.why_no_mpi(setup, output)):
                    print(f"skipped: {name}, {kind}: {why}", flush=True)
                    continue
                line = next((line for line in output.splitlines() if line.startswith("halocline: error: ")), "") if code else "verified"
                print(f"{'FAILED' if wrong else 'ok'}: {name}, {kind}: exit code {code} after {took:.1f} s: {wrong or line}", flush=True)
                if wrong:
                    print("\n".join("    " + line for line in output.splitlines()[-25:]), flush=True)
                passed += not wrong
                failed += bool(wrong)
        if given.mpiexec and given.only in (None, "another_user"):
            wrong = probe(case)
            print(f"{'FAILED' if wrong else 'ok'}: another_user reads nothing of a job{': ' + wrong if wrong else ''}")
            passed += not wrong
            failed += bool(wrong)
    finally:
        shutil.rmtree(case.folder, ignore_errors=True)
    print(f"cases passed: {passed}")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
