"""What drawing costs, as ratios within one run, and that the figures can be asked for by command."""

from __future__ import annotations

import json
import time

import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.studies.draw_cost import FAR_PX, SIZE_PX, draw_cost, swarm


def test_bugs_move_in_every_picture_and_out_of_view_where_wanted() -> None:
    rows = swarm(50, 30, seed=3)
    assert rows.shape == (30, 50, 5)
    assert (rows[1:, :, :3] != rows[:-1, :, :3]).all(axis=(1, 2)).all()
    assert ((rows[0, :, 0] >= 0) & (rows[0, :, 0] <= SIZE_PX[0])).all()
    assert (swarm(50, 30, 3, FAR_PX)[..., 0] > SIZE_PX[0] + 100).all()


def test_a_picture_of_250_bugs_costs_the_host_a_sixth_of_a_sprite_a_bug() -> None:
    found = draw_cost(250, 30, time.perf_counter, rounds=2)
    assert found["times_cheaper_host"] > 6
    assert found["times_cheaper_in_view"] > 1.5


@pytest.mark.full
def test_the_command_measures_250_2000_and_20_000_bugs_and_the_memory() -> None:
    """The host's part: 6 and 15 times cheaper than sprites (quiet: 11 and 35); 1 MiB over 20,000 pictures."""
    done = CliRunner().invoke(main, ["bench", "draw", "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)
    few, many = found["against_sprites"]
    assert (few["bugs"], many["bugs"]) == (250, 2000)
    assert few["times_cheaper_host"] > 6
    assert many["times_cheaper_host"] > 15
    assert many["times_cheaper_in_view"] > 5
    assert found["many"]["bugs"] == 20_000
    assert found["many"]["lit_px"] > 500_000
    assert found["memory"]["grown_kib"] <= 1024
