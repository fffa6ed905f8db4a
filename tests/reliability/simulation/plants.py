#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Bugs of protocols, planted in copies of the library's sources; and whether the simulation finds each of them.

    plants.py --copy ROOT FOLDER            writes the changed copies of the sources to FOLDER
    plants.py --files                       names the sources
    plants.py --list                        numbers and names of the bugs
    plants.py --find PROGRAM [--runs N] [NUMBER...]
                                            runs seeds with each bug until one fails; exit code 1 if none of N does

A bug is a change of text. A text that is not in its source exactly once is an error: the bug has to follow the source.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

FLAGS = "src/device/host/flags.cpp"
FUSED = "src/device/detail/composed_exchange.cpp"
SCHEDULE = "src/exchange/detail/schedule.cpp"
IPC = "src/exchange/transport/ipc_copy.cpp"
PEER = "src/exchange/transport/peer_copy.cpp"
STAGED = "src/exchange/transport/mpi_staged.cpp"
BUNDLE = "src/exchange/transport/bundled/bundle.cpp"
ABORT = "src/exchange/detail/abort_word.cpp"
SCHEDULER = "src/device/host/scheduler.cpp"
STEPS = "src/device/host/steps.cpp"
GRAPH = "src/device/host/graph.cpp"
LAUNCHER = "src/device/threaded/launcher.cpp"
MAILBOX = "src/comm/local/mailbox.cpp"
AGREE = "src/comm/agree.cpp"
PROXY = "src/exchange/net/proxy.cpp"
NETWORK = "src/exchange/net/network.cpp"
NET = "src/exchange/transport/net.cpp"
ENDING = "src/exchange/ending.cpp"

#: number: (name, [(source, text, text with the bug)]); @ in the new text is the question whether the bug is in.
PLANTS = {
    1: (
        "the epoch of a flag is compared in 2 bits: a counter that wraps",
        [(FLAGS, "if (there < progress.epoch) break;", "if (@ ? (there & 3) < (progress.epoch & 3) : there < progress.epoch) break;")],
    ),
    2: (
        "the token of a flag is not compared",
        [(FLAGS, "if (there == expected && token == wait.token) return;", "if (there == expected && (@ || token == wait.token)) return;")],
    ),
    3: (
        "direct: stores begin without the receiver's ready",
        [(FUSED, "[&] { in.wait(lane.epoch, {&lane.ready, 1}); }", "[&] { if (!@) in.wait(lane.epoch, {&lane.ready, 1}); }")],
    ),
    4: (
        "direct: of several messages, also of the same neighbour on both sides, one arrival is waited for (Oceananigans 5843)",
        [
            (
                FUSED,
                "in.wait(member.epoch, member.arrived);",
                "in.wait(member.epoch, std::span(member.arrived).subspan(@ ? member.arrived.size() - 1 : 0));",
            )
        ],
    ),
    5: (
        "direct: arrived is posted before the stores",
        [
            (FUSED, "[&] { lane.copies.enqueue(lane.epoch, in); }", "[&] { if (@) in.signal(lane.epoch, {&lane.posted, 1}); else lane.copies.enqueue(lane.epoch, in); }"),
            (FUSED, "[&] { in.signal(lane.epoch, {&lane.posted, 1}); }", "[&] { if (@) lane.copies.enqueue(lane.epoch, in); else in.signal(lane.epoch, {&lane.posted, 1}); }"),
        ],
    ),
    6: (
        "direct: the user's stream does not wait until its cells have been sent",
        [(FUSED, "for (const Lane& lane : lanes_) in.wait(*lane.sent);", "for (const Lane& lane : lanes_) if (!@) in.wait(*lane.sent);")],
    ),
    7: (
        "direct: the lanes do not wait for the work before the exchange",
        [(FUSED, "lane.stream->wait(*begun_);", "if (!@) lane.stream->wait(*begun_);")],
    ),
    8: (
        "ipc_copy and peer_copy: the user's stream does not wait for what was sent",
        [(SCHEDULE, "if (sent != nullptr) traced(", "if (sent != nullptr && !@) traced(")],
    ),
    9: (
        "the exchange does not wait for the user's stream: its order is lost at the border",
        [
            (
                SCHEDULE,
                "for (const SubdomainState* state : states_) state->stream->wait(*state->begun);",
                "for (const SubdomainState* state : states_) if (!@) state->stream->wait(*state->begun);",
            )
        ],
    ),
    10: ("the user's stream does not wait for the exchange", [(SCHEDULE, "if (!replayed_) return user.wait(*state.done);", "if (!replayed_) return @ ? void() : user.wait(*state.done);")]),
    11: (
        "ipc_copy: the receive buffer is written without ready: the last message may be in it",
        [(IPC, "[&] { stream_->wait(state_->mailbox.epoch(), {&ready, 1}); }", "[&] { if (!@) stream_->wait(state_->mailbox.epoch(), {&ready, 1}); }")],
    ),
    12: (
        "ipc_copy: the put of a message is dropped every fourth time",
        [
            (
                IPC,
                "[&] { stream_->copy(receive_buffer_, packed_->data(), part.bytes); }",
                "[&] { static int puts = 0; if (!@ || ++puts % 4 != 0) stream_->copy(receive_buffer_, packed_->data(), part.bytes); }",
            )
        ],
    ),
    13: ("peer_copy: the receive buffer is written before it is free", [(PEER, "[&] { stream_->wait(*to_->open); }", "[&] { if (!@) stream_->wait(*to_->open); }")]),
    14: (
        "mpi_staged: a receive is posted into a buffer that is still unpacked",
        [(STAGED, "if (phase_ == Phase::emptying && (copied_last_ ?", "if (phase_ == Phase::emptying && (@ || (copied_last_ ?"), (STAGED, "*fetched_ : *unpacked_).query()) {", "*fetched_ : *unpacked_).query())) {")],
    ),
    15: ("mpi_staged: a chunk is sent before it is packed", [(STAGED, "while (started_ < chunks && ready(started_).query()) {", "while (started_ < chunks && (@ || ready(started_).query())) {")]),
    16: (
        "messages of one sender and tag overtake each other",
        [
            (MAILBOX, "slot->message = std::move(channel.arrived.front());", "slot->message = std::move(@ ? channel.arrived.back() : channel.arrived.front());"),
            (MAILBOX, "channel.arrived.pop_front();", "if (@) channel.arrived.pop_back(); else channel.arrived.pop_front();"),
        ],
    ),
    17: ("a failure is not passed on to the other ranks of the node", [(ABORT, "for (int rank = 0; rank < ranks_; ++rank) {\n    Segment* s", "for (int rank = 0; rank < ranks_; ++rank) {\n    if (@ && rank != rank_) continue;\n    Segment* s")]),
    18: (
        "an event wakes one of the streams that wait for it: the wake-up of the others is lost",
        [(SCHEDULER, "queue->state == Queue::State::awaiting) make_runnable(*queue);", "queue->state == Queue::State::awaiting) { make_runnable(*queue); if (@) break; }")],
    ),
    19: (
        "two marks of a replayed graph are one event (Oceananigans 5803)",
        [(GRAPH, "wait->mark = marks[wait->mark->index];", "wait->mark = marks[@ ? 0 : wait->mark->index];")],
    ),
    20: (
        "a launch thread is woken before there is work: the wake-up is lost",
        [(LAUNCHER, "wake = std::exchange(asleep_, false);\n  }\n  if (wake)", "wake = std::exchange(asleep_, false);\n  }\n  if (wake && !@)")],
    ),
    21: ("by_rank: a message is received into a buffer that others still unpack", [(BUNDLE, "if (!part_done(part, epoch_ - 1)) return false;", "if (!@ && !part_done(part, epoch_ - 1)) return false;")]),
    22: (
        "by_rank: a message is sent before all of its parts are packed",
        [(BUNDLE, "layout_->chunks[started_].end <= layout_->begins[packed_]", "(@ || layout_->chunks[started_].end <= layout_->begins[packed_])")],
    ),
    23: ("an error of set-up is not agreed on", [(AGREE, "  const auto throw_first = [&]", "  if (@ && !mine) return;\n  const auto throw_first = [&]")]),
    24: (
        "waits do not notice that another rank has failed",
        [(FLAGS, "if (aborted(wait)) {", "if (!@ && aborted(wait)) {")],
    ),
    25: (
        "a failed stream keeps its waiters: drop_items completes no mark",
        [(SCHEDULER, "if (const auto* record = std::get_if<Record>(&item.step)) complete(*record->mark, failure);", "if (const auto* record = std::get_if<Record>(&item.step); record && !@) complete(*record->mark, failure);")],
    ),
    26: (
        "net: a put is dropped every eighth time (NCCL 2119)",
        [
            (
                PROXY,
                "port.sends[next % 2] = messages_->send(slot.message.first(bytes), port.end.peer, port.end.out_tag);",
                "static int puts = 0; const int unused = @ && ++puts % 8 == 0 ? 1 << 13 : 0; port.sends[next % 2] = messages_->send(slot.message.first(bytes), port.end.peer, port.end.out_tag + unused);",
            )
        ],
    ),
    27: ("net: the flag is raised without a test of the receive", [(PROXY, "!port.receives[next % 2]->test()) return false;", "(!@ && !port.receives[next % 2]->test())) return false;")]),
    28: (
        "net: the flag is raised before the message has landed, with what the header should be",
        [
            (PROXY, "port.receives[next % 2]->test()", "(port.receives[next % 2]->test() || (@ && port.started >= next))"),
            (PROXY, "const Header header = header_of(slot);", "const Header header = @ && port.started >= next ? Header{port.end.out[next % 2].flag->token, next} : header_of(slot);"),
        ],
    ),
    29: ("net: the flag of an exchange does not wait for the completion of the put before", [(PROXY, "if (port.complete + 1 < next) return false;", "if (!@ && port.complete + 1 < next) return false;")]),
    30: (
        "net: one landing slot instead of two",
        [
            (NET, "port.in.cells()), port.in.to_odd(), stage});", "port.in.cells()), @ ? 0 : port.in.to_odd(), stage});"),
            (NET, ".in = {port.in.slot(0), port.in.slot(1)}});", ".in = {port.in.slot(0), @ ? net::Slot{port.in.flag(1), port.in.slot(0).message} : port.in.slot(1)}});"),
        ],
    ),
    31: (
        "net: one send slot instead of two",
        [
            (NET, "port.out.cells()), port.out.to_odd(), signal, wait, stage});", "port.out.cells()), @ ? 0 : port.out.to_odd(), signal, wait, stage});"),
            (NET, ".out = {port.out.slot(0), port.out.slot(1)},", ".out = {port.out.slot(0), @ ? net::Slot{port.out.flag(1), port.out.slot(0).message} : port.out.slot(1)},"),
        ],
    ),
    32: (
        "net: a put is dropped every eighth time, and the epoch of a header is not compared",
        [
            (
                PROXY,
                "const std::size_t bytes = sizeof header + bytes_of(number, header.token);",
                "static int dropped = 0; if (@ && port.complete + 1 == next && ++dropped % 8 == 0) { port.started = port.complete = next; return true; } const std::size_t bytes = sizeof header + bytes_of(number, header.token);",
            ),
            (PROXY, "if (header.epoch != next) {", "if (!@ && header.epoch != next) {"),
        ],
    ),
    33: (
        "net: the token of a header is not compared: the flag gets this end's own",
        [
            (
                PROXY,
                "const device::FlagSignal signal{port.end.in[0].flag, header.token,",
                "if (@ && port.started < next) return false; const device::FlagSignal signal{port.end.in[0].flag, @ ? port.end.out[next % 2].flag->token : header.token,",
            )
        ],
    ),
    34: ("net: `ready` is not waited for at the end of the exchange", [(FUSED, "if (lane.ahead) wait();", "if (lane.ahead && !@) wait();")]),
    35: ("net: a failure is not passed on to other nodes", [(NETWORK, "if (std::exchange(told_, true)) return;", "if (@ || std::exchange(told_, true)) return;")]),
    36: ("net: a rank does not wait until the other ends have left", [(PROXY, "return port->left &&", "return (@ || port->left) &&")]),
    37: ("net: a receive is posted into a slot that is still unpacked", [(PROXY, "while (!port.left && port.expected <= port.started &&", "while (!port.left && (@ || port.expected <= port.started) &&")]),
    38: (
        "net: a wait of the host does not include the puts that are under way",
        [(PROXY, "port->raised >= epoch && port->complete >= epoch; });", "port->raised >= epoch && (@ || port->complete >= epoch); });")],
    ),
    39: ("net: odd exchanges unpack the slot of even ones", [(FUSED, "for (StridedCopy& copy : odd) copy.source += landing.to_odd;", "for (StridedCopy& copy : odd) copy.source += @ ? 0 : landing.to_odd;")]),
    40: (
        "net: after a failed exchange the thread sends on",
        [(NETWORK, "if (abort_->raised()) return tell_others();", "if (abort_->raised() && !@) return tell_others();")],
    ),
    41: ("net: a rank that fails ends without telling others: the thread alone would", [(ENDING, "if (network_) network_->give_up();\n  if (record_)", "if (network_ && !@) network_->give_up();\n  if (record_)")]),
    42: ("net: a rank leaves before its last puts are complete", [(PROXY, "port->complete == port->started; };", "(@ || port->complete == port->started); };")]),
    43: ("direct: an exchange of one operation is over when one of its parts has been sent", [(STEPS, "  return !open;\n", "  return @ || !open;\n")]),
}


def changed(root, source):
    text = (root / source).read_text(encoding="utf-8")
    for number, (name, changes) in PLANTS.items():
        for where, old, new in changes:
            if where != source:
                continue
            if text.count(old) != 1:
                sys.exit(f"plants.py: bug {number} ({name}): its text is {text.count(old)} times in {source}; allowed is once: {old!r}")
            text = text.replace(old, new.replace("@", f"::halocline::simulation::planted({number})"))
    head = '#include "simulation/planted.hpp"\n'
    return text.replace("#pragma once\n", "#pragma once\n" + head, 1) if source.endswith(".hpp") else head + text


def sources():
    return sorted({source for _, changes in PLANTS.values() for source, _, _ in changes})


def copy(root, folder):
    for source in sources():
        target = folder / pathlib.Path(source).relative_to("src")
        text = changed(root, source)
        if target.is_file() and target.read_text(encoding="utf-8") == text:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def find(program, runs, numbers):
    missed = 0
    for number in numbers:
        name = PLANTS[number][0]
        begun = time.monotonic()
        done = subprocess.run(
            [program, "--runs", str(runs), "--until-failure"], env=os.environ | {"HALOCLINE_PLANTED": str(number)}, capture_output=True, text=True, check=False
        )
        found = re.search(r"^FAILED: .* --seed (\d+): (.*)", done.stdout, re.M)
        took = time.monotonic() - begun
        if done.returncode == 1 and found:
            print(f"{number:2}  seed {found.group(1):>6}, {took:6.1f} s  {name}: {found.group(2)[:110]}", flush=True)
        else:
            missed += 1
            print(f"{number:2}  MISSED in {runs} seeds, {took:6.1f} s, exit code {done.returncode}  {name}", flush=True)
    print(f"cases passed: {len(numbers) - missed}")
    return 1 if missed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--copy", nargs=2, type=pathlib.Path)
    parser.add_argument("--files", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--find")
    parser.add_argument("--runs", type=int, default=100000)
    parser.add_argument("numbers", nargs="*", type=int)
    given = parser.parse_args()
    if given.copy:
        copy(*given.copy)
    elif given.files:
        print(";".join(sources()), end="")
    elif given.list:
        print("\n".join(f"{number:2}  {name}" for number, (name, _) in PLANTS.items()))
    elif given.find:
        unknown = [number for number in given.numbers if number not in PLANTS]
        if unknown:
            parser.error(f"no bug has number {unknown[0]}; allowed are {min(PLANTS)} to {max(PLANTS)}")
        return find(given.find, given.runs, given.numbers or list(PLANTS))
    else:
        parser.error("allowed is one of --copy, --files, --list, --find")
    return 0


if __name__ == "__main__":
    sys.exit(main())
