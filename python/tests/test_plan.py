# SPDX-License-Identifier: BSD-3-Clause
"""Machines and plans as documents."""

import json

import numpy as np
import pytest

import halocline
from halocline import errors


def test_the_machine_of_a_domain_is_a_document(tmp_path):
    with halocline.Domain((8, 8, 8), 1, {"u": "float32"}, devices=2) as domain:
        machine = domain.machine
    assert machine.document["schema"] == "halocline-machine/1"
    assert [v["kind"] for v in machine.document["types"][0]["vertices"]].count("device") == 2
    machine.save(tmp_path / "machine.json")
    again = halocline.Machine.load(tmp_path / "machine.json")
    assert again == machine and again.json() == machine.json() and hash(again) == hash(machine)
    assert "2 device" in str(machine) and machine.document["name"] in repr(machine)
    with halocline.Domain((8, 8, 8), 1, {"u": "float32"}, devices=2, machine=again) as domain:
        assert domain.machine == machine


def test_the_machine_is_known_after_plan():
    domain = halocline.Domain((8, 8, 8), 1, devices=2)
    domain.add_field("u", "float32")
    with pytest.raises(errors.InvalidArgument, match=r"allowed is \.machine after plan\(\)"):
        _ = domain.machine
    domain.add_field("v", "float32")  # nothing was planned
    domain.plan()
    assert domain.machine.document["schema"] == "halocline-machine/1"
    domain.realize()
    domain.close()


def test_a_machine_with_other_links_is_planned_for(tmp_path):
    """The grid with the least predicted time depends on the rates that the document has."""
    document = halocline.Domain((8, 8, 8), 1, {"u": "float32"}, devices=2).machine.document
    document["name"] = "changed"
    changed = halocline.Machine.from_json(json.dumps(document))
    with halocline.Domain((8, 8, 8), 1, {"u": "float32"}, devices=2, machine=changed) as domain:
        assert domain.machine.document["name"] == "changed" and "changed" in domain.explain()


def test_bad_documents_are_named(tmp_path):
    with pytest.raises(errors.InvalidArgument, match="schema"):
        halocline.Machine.from_json("{}")
    with pytest.raises(errors.ResourceError, match="none.json"):
        halocline.Machine.load(tmp_path / "none.json")
    with pytest.raises(errors.InvalidArgument, match="not a plan"):
        halocline.Plan.from_json("[]")
    with pytest.raises(errors.InvalidArgument, match="not a plan"):
        halocline.Plan.from_json('{"schema": "halocline-plan/1"}')
    with pytest.raises(errors.InvalidArgument, match="in y are"):
        halocline.Plan([[0, 4], [0, 0], [0, 4]], [(0, 0)])
    with pytest.raises(errors.InvalidArgument, match="2 owner"):
        halocline.Plan([[0, 4], [0, 4], [0, 4]], [(0, 0), (0, 1)])


def test_a_plan_is_a_document_that_another_domain_takes(tmp_path):
    with halocline.Domain((12, 10, 14), 1, {"u": "float32"}, devices=6) as domain:
        plan = domain.plan_of_all()
        regions = domain.regions
    assert plan.shape == (12, 10, 14) and np.prod(plan.grid) == 6
    assert sorted(plan.owners) == [(0, device) for device in range(6)]
    plan.save(tmp_path / "plan.json")
    again = halocline.Plan.load(tmp_path / "plan.json")
    assert again == plan and "6" not in repr(plan.owners[0]) and "planes in z" in str(plan)
    with halocline.Domain(stencil=1, fields={"u": "float32"}, devices=6, plan=again) as domain:
        by_device = dict(zip((b.device for b in domain["u"].blocks), domain.regions))
        assert sorted(map(str, domain.regions)) == sorted(map(str, regions)) and len(by_device) == 6
        assert domain.plan_of_all() == plan


def test_a_plan_of_ones_own():
    plan = halocline.Plan(cuts=[[0, 3, 12], [0, 10], [0, 14]], owners=[(0, 1), (0, 0)])
    whole = np.arange(12 * 10 * 14, dtype=np.float64).reshape(12, 10, 14)
    with halocline.Domain(stencil=1, fields={"u": "float64"}, devices=2, plan=plan) as domain:
        blocks = {block.device: block.cells[0] for block in domain["u"].blocks}
        assert blocks == {1: slice(0, 3), 0: slice(3, 12)}
        domain["u"].set(whole)
        domain.exchange()
        padded = np.pad(whole, 1, mode="wrap")
        for block in domain["u"].blocks:
            assert np.array_equal(block.array, padded[tuple(slice(c.start, c.stop + 2) for c in block.cells)])
    with pytest.raises(errors.InvalidArgument, match="the plan's"):
        halocline.Domain((1, 2, 3), plan=plan)


def test_a_choice_is_kept_and_found(tmp_path):
    def explained(**options):
        domain = halocline.Domain((16, 12, 8), 1, devices=2)
        domain.add_field("u", "float32")
        domain.tune(tmp_path / "tune.json", budget=0.2, **options)
        domain.realize()
        return domain.explain().splitlines()[-1]

    assert explained().startswith("tuned: ") and (tmp_path / "tune.json").exists()
    assert "; from '" in explained()
    assert "by trials of" in explained(again=True)


def test_a_budget_that_is_none_is_refused():
    domain = halocline.Domain((8, 8, 8), 1)
    domain.add_field("u", "float32")
    with pytest.raises(errors.InvalidArgument, match="budget is 0"):
        domain.tune(budget=0)
    domain.realize()
    with pytest.raises(errors.InvalidArgument, match="before"):
        domain.tune()
