# SPDX-License-Identifier: BSD-3-Clause
"""The programs whose calls faults.py fails, and what each must show at its end."""

import pathlib
import re

#: What an error may name besides the function: the words of the error number that it fails with, and of what has run out.
REASONS = re.compile(
    r"memory|bad_alloc|Too many open files|No space left|Input/output error|Permission denied|Operation not permitted|Invalid argument"
    r"|MPI_ERR_|cudaErrorUnknown|CUDA_ERROR_UNKNOWN|temporarily unavailable|Cannot allocate|File too large|File name too long|Inappropriate ioctl|not implemented|No child"
)

#: Of the line with which a watchdog ends a process.
WATCHDOG = "this process ends, as MPI cannot give the call up"


def has_reason(text, function):
    return function.removeprefix("SCOTCH_") in text or REASONS.search(text) is not None


#: Cases that end in a way that they should not, and cannot be mended here: the function that fails, a name on the stack when a signal ends
#: the program, how it ends, why.
KNOWN = [
    ("operator new", "_GLOBAL__sub_I_", "a signal", "CLI11 makes static objects before main(), where an exception ends the program"),
    ("operator new", "CLI::Option::check_name", "a signal", "CLI11 allocates in a function that is noexcept"),
]


class Scenario:
    name = ""
    limit = 40.0  # seconds; more than the timeouts of all collectives that can be waited for one after another
    lives = 1  # of a process: cases that it goes through
    processes = 1

    def skipped(self):
        """Why it cannot be run on this machine, or nothing."""
        return ""

    def prepare(self, work, build):
        """Makes the program's input in the folder."""

    def command(self, work, build, preload):
        """The command, and variables of its environment; preload: those of the ranks."""
        raise NotImplementedError

    def binary(self, build):
        raise NotImplementedError

    def learn(self, plain):
        """Keeps the result of a run without a fault."""

    def wrong(self, result):
        """What is wrong with a result that was given as a success."""
        raise NotImplementedError

    def unclear(self, result, case):
        """What is missing in the error lines."""
        raise NotImplementedError

    def left(self, work):
        """Temporary files of Halocline that are still there."""
        return sorted(str(path.relative_to(work)) for path in work.rglob(".halocline-*"))

    def wrong_files(self, work, code):
        """What is wrong with its files at this exit code."""
        return ""


class Life(Scenario):
    """The life of a domain; see scenario.cpp."""

    words = ()  # behind the others of its command

    def __init__(self, ranks):
        self.ranks = ranks

    def binary(self, build):
        return build / "bin/fault_scenario"

    def wrong(self, result):
        missing = [rank for rank in range(self.ranks) if f"rank {rank}: verified" not in result.err]
        return f"ranks {missing} are not verified" if missing else ""

    def unclear(self, result, case):
        if "broken:" in result.err or result.code not in (1, *self.codes):
            return "a rule is broken"
        errors = re.findall(r"^(?:rank \d: [a-z]+: |scenario: error: |halocline: error: )(.+)$", result.err, re.M)
        if not errors:
            return "no error line"
        # A watchdog names the call that it ends, which may be the one that has failed elsewhere; warnings speak of what follows from errors.
        causes = re.sub(r"\S+ has not returned after its timeout|^halocline: warning: .*$", "", result.err, flags=re.M)
        if not has_reason(causes, case.function):
            return f"no line has {case.function} or a reason"
        ended = [rank for rank in range(self.ranks) if re.search(rf"^rank {rank}: ", result.err, re.M)]
        by_watchdog = result.err.count(WATCHDOG)
        if len(ended) + by_watchdog < self.ranks and "scenario: error" not in result.err:
            return f"only ranks {ended} have a line"
        return ""

    codes = ()


class Threads(Life):
    name = "life-threads"

    def command(self, work, build, preload):
        return [str(self.binary(build)), str(self.ranks), str(work), *self.words], preload


class Mpi(Life):
    name = "life-mpi"
    limit = 60.0
    lives = 32  # a launch takes as long as ten of them

    @property
    def processes(self):
        return self.ranks

    def command(self, work, build, preload):
        flags = [word for name, value in preload.items() for word in ("-x", f"{name}={value}")]
        environment = {
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
        }
        return ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(self.ranks), *flags, str(self.binary(build)), "mpi", str(work), *self.words], environment


class WithGpus(Life):
    """The same with a GPU for each rank; ranks share one if there is no other, and then move halos without `direct`, `net` and `nccl`."""

    words = ("cuda",)

    def skipped(self):
        return "" if any(pathlib.Path("/dev").glob("nvidia[0-9]*")) else "a GPU is needed"

    def binary(self, build):
        return build / "bin/fault_scenario_cuda"


class CudaThreads(WithGpus, Threads):
    name = "life-cuda-threads"
    lives = 32  # a process takes more than a second to start on a GPU, and a life a tenth of that


class CudaMpi(WithGpus, Mpi):
    name = "life-cuda-mpi"
    limit = 120.0


class Planted(Life):
    """A program that does something wrong when its call fails; see faults_test.py."""

    limit = 3.0

    def __init__(self, kind):
        super().__init__(1)
        self.name = kind

    def binary(self, build):
        return build / "bin/fault_planted"

    def command(self, work, build, preload):
        return [str(self.binary(build)), self.name, str(work)], preload


class Tool(Scenario):
    """A command of halocline: either its whole output, or one error line, and no file but a whole one."""

    def __init__(self, name, words, output=None, same=True):
        self.name = f"halocline {name}"
        self.words = words
        self.output = output  # the file that it writes
        self.same = same  # its output is the same in each run
        self.expected = None
        self.expected_file = None

    def prepare(self, work, build):
        (work / "matrix.csv").write_text("from,to,bytes\n0,1,500\n1,2,700\n2,3,100\n3,0,900\n", encoding="utf-8")
        if self.output:
            (work / self.output).write_text("earlier", encoding="utf-8")

    def binary(self, build):
        return build / "bin/halocline"

    def command(self, work, build, preload):
        return [str(self.binary(build)), *self.words], preload | {"HALOCLINE_BACKEND": "host", "HALOCLINE_TIMEOUT": "5"}

    def learn(self, plain):
        self.expected = plain.out

    def wrong(self, result):
        if self.expected is None:
            return ""
        return "another output" if (result.out != self.expected if self.same else not result.out) else ""

    def wrong_files(self, work, code):
        if not self.output:
            return ""
        content = (work / self.output).read_bytes() if (work / self.output).is_file() else b""
        if self.expected_file is None:
            self.expected_file = content
        whole = content == self.expected_file or (code != 0 and content == b"earlier")
        return "" if whole else f"{self.output} is neither the new file nor the earlier one"

    def unclear(self, result, case):
        errors = re.findall(r"^halocline: error: .+$", result.err, re.M)
        if not errors or (len(errors) > 1 and case.mode == "once"):
            return f"{len(errors)} error lines"
        if not has_reason(result.err, case.function):
            return f"no line has {case.function} or a reason"
        return ""


TOOL = [
    Tool("partition", ["partition", "--nodes", "2", "--size", "64"]),
    Tool("simulate", ["simulate", "--machine", "puhti", "--nodes", "2", "--size", "64", "--json"]),
    Tool("map", ["map", "--cpu", "matrix.csv", "--machine", "summit", "--json"], same=False),
    Tool("machine", ["machine", "--json"], same=False),
    Tool("exchange", ["exchange", "--devices", "2", "--size", "16", "--repeat", "2", "--warm-up", "0", "--steady", "0", "--verify"], same=False),
    Tool("plot", ["plot", "summit", "-o", "picture.png"], output="picture.png"),
]

PARTS = {
    "fault_threads": [Threads(2)],
    "fault_mpi": [Mpi(2)],
    "fault_tool": TOOL,
    "fault_cuda": [CudaThreads(2)],
    "fault_cuda_mpi": [CudaMpi(2)],
}
PARTS |= {f"planted_{kind}": [Planted(kind)] for kind in ("right", "signal", "hang", "file", "silent", "unverified")}
