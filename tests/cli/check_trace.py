#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_trace.py TRACE TRANSPORT [EXCHANGES WAY]: checks a trace of `halocline exchange --trace`: the fields of each event, that each
message of each exchange is sent once and received once, by the transport that is named if it leaves its device, that nothing overlaps
within a track, and that what arrives was sent before, within the alignment that the file states. Of "direct" also what each
message waits for, posts and unpacks.
With WAY, of `halocline run APP --trace`: also the kernels of each subdomain in each exchange. "first": all cells, after the halos have
arrived; "overlap": the interior, then the boundary after the halos; "as-ready": the boundary in parts as halos arrive; "several": as "overlap", then all
cells twice without another exchange."""

import collections
import json
import sys

PHASES = {"X", "M", "s", "f"}
RECEIVES = ("wait arrived", "MPI receive")


def sends(event):
    transport = event["args"].get("transport")
    return event["cat"] in ("put", "MPI send") or (event["cat"] == "copy" and transport in ("ipc_copy", "peer_copy"))


def check_fields(event):
    assert event["ph"] in PHASES, event
    assert isinstance(event["pid"], int) and isinstance(event["tid"], int), event
    if event["ph"] == "M":
        return
    assert isinstance(event["ts"], float) and event["ts"] > -1e6, event
    assert event["name"], event
    if event["ph"] == "X":
        assert isinstance(event["dur"], float) and event["dur"] >= 0, event
        assert event["args"]["step"] > 0, event
        assert event["args"].get("bytes", 1) > 0, event


def check_tracks(slices):
    """Within a track, a slice contains the next one or ends before it."""
    slack = 1e-3  # times are rounded to nanoseconds
    tracks = collections.defaultdict(list)
    for event in slices:
        tracks[event["pid"], event["tid"]].append(event)
    for track in tracks.values():
        track.sort(key=lambda event: (event["ts"], -event["dur"]))
        open_ends = []
        for event in track:
            while open_ends and open_ends[-1] <= event["ts"] + slack:
                open_ends.pop()
            end = event["ts"] + event["dur"]
            assert not open_ends or end <= open_ends[-1] + slack, ("overlaps", event)
            open_ends.append(end)


def by_message(slices):
    found = collections.defaultdict(list)
    for event in slices:
        args = event["args"]
        for bundled in args.get("messages", []):  # several messages as one
            sender, receiver = (int(subdomain) for subdomain in bundled.split(" -> "))
            found[args["step"], sender, receiver, None, 0].append(event)
        if "messages" in args:
            continue
        found[args["step"], args["from"], args["to"], args.get("direction"), args["part"]].append(event)
    return found


def check_parts(slices, sent, received, alignments):
    """The parts of an exchange by `direct`: what each message waits for, and what it posts."""
    kinds = ("wait ready", "post arrived")
    of = {kind: by_message([event for event in slices if event["cat"] == kind]) for kind in kinds}
    unpacked = collections.defaultdict(list)
    for event in slices:
        if event["cat"] == "unpack":
            args = event["args"]
            unpacked[args["step"], args["from"], args["to"], args.get("direction"), args["part"]].append(event)
    assert unpacked, "no part is unpacked"
    assert unpacked.keys() <= received.keys(), sorted(map(str, unpacked.keys() - received.keys()))[:5]
    for kind in kinds:
        assert of[kind].keys() == sent.keys(), (kind, sorted(map(str, of[kind].keys() ^ sent.keys()))[:5])
    ready = {(event["args"]["step"], message) for event in slices if event["cat"] == "post ready"
             for message in event["args"].get("messages", [f"{event['args'].get('from')} -> {event['args'].get('to')}"])}
    slack = 1e-3
    for key in sent:
        put, arrival = sent[key][0], received[key][0]
        wait, post = of["wait ready"][key][0], of["post arrived"][key][0]
        known = alignments[put["pid"]] + alignments[arrival["pid"]] + slack
        assert len(of["wait ready"][key]) == len(of["post arrived"][key]) == 1, key
        assert (key[0], f"{key[1]} -> {key[2]}") in ready, ("no 'post ready' of", key)
        assert wait["ts"] + wait["dur"] <= put["ts"] + slack, ("put before ready", wait, put)
        assert put["ts"] + put["dur"] <= post["ts"] + slack, ("posted before it was put", put, post)
        assert post["ts"] <= arrival["ts"] + arrival["dur"] + known, ("arrives before it was posted", post, arrival)
        for unpack in unpacked.get(key, []):
            assert len(unpacked[key]) == 1 and unpack["args"]["bytes"] > 0, unpacked[key]
            assert unpack["ts"] >= arrival["ts"] + arrival["dur"] - slack, ("unpacked before it arrived", unpack)


def check_kernels(slices, way, steps, alignments):
    kernels = collections.defaultdict(list)
    arrivals = collections.defaultdict(list)
    for event in slices:
        args = event["args"]
        if "subdomain" in args:
            kernels[args["step"], args["subdomain"], event["cat"]].append(event)
        if event["cat"] in RECEIVES:
            arrivals[args["step"], args["to"]].append(event)
    kinds = {"first": ("all cells",), "several": ("interior", "boundary", "all cells")}.get(way, ("interior", "boundary"))
    subdomains = {key[1] for key in arrivals}
    assert kernels.keys() == {(step, s, kind) for step in steps for s in subdomains for kind in kinds}, sorted(kernels)
    for step, subdomain in arrivals:
        of = {kind: kernels[step, subdomain, kind] for kind in kinds}
        once = [kind for kind in kinds if (way, kind) not in (("as-ready", "boundary"), ("several", "all cells"))]
        assert all(len(of[kind]) == 1 for kind in once), of
        assert way != "several" or len(of["all cells"]) == 2, of
        arrived = max(event["ts"] + event["dur"] for event in arrivals[step, subdomain])
        last = of["boundary" if "boundary" in of else "all cells"]
        slack = alignments[last[0]["pid"]] + 1e-3
        if way == "as-ready":
            assert max(event["ts"] + event["dur"] for event in last) >= arrived - slack, ("ends before the halos", last)
        else:
            assert last[0]["ts"] >= arrived - slack, ("begins before the halos have arrived", arrived, last)
        if way in ("overlap", "several"):
            interior = of["interior"][0]
            assert interior["ts"] + interior["dur"] <= last[0]["ts"] + slack or interior["tid"] != last[0]["tid"], of
        # Whether they do overlap is up to the machine; on a track of its own the interior waits for no arrival.
        for interior in of.get("interior", []):
            tracks = {event["tid"] for event in arrivals[step, subdomain]}
            assert interior["tid"] not in tracks, ("the interior is behind the halos", interior)
        for all_cells in of["all cells"] if way == "several" else []:
            assert all_cells["ts"] >= last[0]["ts"] + last[0]["dur"] - slack, ("before the boundary", all_cells)


def main(path, transport, exchanges="3", way=None):
    with open(path, encoding="utf-8") as file:
        trace = json.load(file)
    other = trace["otherData"]
    for event in trace["traceEvents"]:
        check_fields(event)
    slices = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    named = {(e["pid"], e["tid"]) for e in trace["traceEvents"] if e["ph"] == "M" and e["name"] == "thread_name"}
    assert {(e["pid"], e["tid"]) for e in slices} == named, "a track without a name, or a name without a track"
    check_tracks(slices)

    sent = by_message([event for event in slices if sends(event)])
    received = by_message([event for event in slices if event["cat"] in RECEIVES])
    assert sent, "no messages"
    assert sent.keys() == received.keys(), (sorted(map(str, sent.keys() ^ received.keys())))[:5]
    assert len({key[0] for key in sent}) == int(exchanges), "another number of exchanges"
    pairs = {(key[1], key[2]) for key in sent}
    assert {(b, a) for a, b in pairs} == pairs, "a pair has one direction only"
    alignment = other["alignment_of_ranks_us"]
    alignments = other["alignment_of_devices_us"]
    for key, senders in sent.items():
        receivers = received[key]
        # A message in chunks is copied in several steps.
        assert len(receivers) == 1 and len(senders) == 1, (key, len(senders), len(receivers))
        send, arrival = senders[0], receivers[0]
        if "messages" in send["args"]:
            assert send["args"]["messages"] == arrival["args"]["messages"]
        else:
            assert send["args"]["transport"] == arrival["args"]["transport"]
            assert transport in (send["args"]["transport"], "any"), send
        known = alignment + alignments[send["pid"]] + alignments[arrival["pid"]] + 1e-3
        # By MPI the sender may be done when its buffer is, after the arrival.
        whole = 0 if send["cat"] == "MPI send" else send["dur"]
        assert send["ts"] + whole <= arrival["ts"] + arrival["dur"] + known, ("arrives before it was sent", send, arrival)
    if transport == "direct":
        of = [event for event in slices if event["args"].get("transport", "direct") == "direct"]
        by_direct = {key: events for key, events in sent.items() if events[0]["args"]["transport"] == "direct"}
        check_parts(of, by_direct, received, alignments)
    if way:
        check_kernels(slices, way, {key[0] for key in sent}, alignments)
    arrows = collections.Counter(event["ph"] for event in trace["traceEvents"])
    operations = {id(event) for events in sent.values() for event in events}
    assert arrows["s"] == arrows["f"] == len(operations), arrows
    print(f"{path}: {len(slices)} slices, {len(sent)} messages as they should be")


if __name__ == "__main__":
    main(*sys.argv[1:])
