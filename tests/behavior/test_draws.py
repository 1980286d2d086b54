"""The random numbers: splitmix64 as published, keyed by seed, tick and agent, in any order."""

from __future__ import annotations

import itertools

import numpy as np

from controller.behavior.draws import (
    DRAWS,
    GOLDEN,
    agent_key,
    between,
    hashed_uniform,
    mixed,
    tick_key,
    uniform,
)
from tests.behavior.naive_numbers import BITS_64, key_of, splitmix64, unit_numbers
from tests.behavior.pairs import fewer, records

# The first outputs that the generator's published implementations give for this seed.
PUBLISHED_SEED = 1234567
PUBLISHED = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
KEYS = [0, 1, 2, BITS_64, BITS_64 - 1, 1 << 63, int(GOLDEN)]


def some_keys(count: int) -> list[int]:
    rng = np.random.default_rng(1)
    return [*KEYS, *(int(key) for key in rng.integers(0, BITS_64, fewer(count), np.uint64))]


def shipped_key(seed: int, tick: int, agent: int) -> int:
    key = np.uint64(tick_key(np.uint64(seed), np.uint64(tick)))
    return int(agent_key(key, np.uint64(agent)))


def test_the_twin_is_the_published_generator() -> None:
    assert list(itertools.islice(splitmix64(PUBLISHED_SEED), 4)) == PUBLISHED


def test_the_shipped_finalizer_gives_the_published_numbers() -> None:
    states = [(PUBLISHED_SEED + n * int(GOLDEN)) & BITS_64 for n in range(1, 5)]
    assert [int(mixed(np.uint64(state))) for state in states] == PUBLISHED


def test_a_stream_is_the_walk_of_the_generator_from_its_key() -> None:
    for key in some_keys(400):
        walk = list(itertools.islice(unit_numbers(key), 20))
        assert [hashed_uniform(np.uint64(key), k) for k in range(20)] == walk
        assert all(0.0 <= number < 1.0 for number in walk)


def test_the_largest_number_is_still_below_1() -> None:
    """The key whose first output has all bits set, found by going the finalizer's steps back."""
    z = BITS_64
    z ^= (z >> 31) ^ (z >> 62)
    z = z * pow(0x94D049BB133111EB, -1, 1 << 64) & BITS_64
    z ^= (z >> 27) ^ (z >> 54)
    z = z * pow(0xBF58476D1CE4E5B9, -1, 1 << 64) & BITS_64
    z ^= (z >> 30) ^ (z >> 60)
    assert int(mixed(np.uint64(z))) == BITS_64
    assert hashed_uniform(np.uint64(z), 0) == 1.0 - 2.0**-53


def test_keys_of_seed_tick_and_agent_are_walks_of_the_generator() -> None:
    keys = some_keys(200)
    for seed, tick, agent in zip(keys, reversed(keys), keys[1:] + keys[:1], strict=True):
        assert shipped_key(seed, tick, agent) == key_of(seed, tick, agent)


def test_no_two_agents_ticks_or_seeds_share_a_number() -> None:
    ticks, agents = fewer(100), 250
    first = {
        hashed_uniform(np.uint64(shipped_key(seed, tick, agent)), 0)
        for seed in (1, 2)
        for tick in range(ticks)
        for agent in range(agents)
    }
    assert len(first) == 2 * ticks * agents


def numbers_of(draws: np.ndarray, key: int, count: int) -> list[float]:
    draws["key"], draws["spent"] = key, 0
    return [uniform(draws[0]) for _ in range(count)]


def test_an_agents_numbers_depend_on_no_other_agent_and_no_order() -> None:
    draws = records(np.zeros(1, DRAWS))
    keys = some_keys(50)
    forwards = {key: numbers_of(draws, key, 6) for key in keys}
    backwards = {key: numbers_of(draws, key, 1 + key % 6) for key in reversed(keys)}
    assert all(forwards[key][: len(found)] == found for key, found in backwards.items())


def test_numbers_given_by_hand_come_first_and_are_counted() -> None:
    draws = records(np.zeros(1, DRAWS))
    draws["key"], draws["given"] = 5, 2
    draws["tape"][0, :2] = [0.25, 0.75]
    walk = list(itertools.islice(unit_numbers(5), 4))
    assert [uniform(draws[0]) for _ in range(4)] == [0.25, 0.75, *walk[2:]]
    assert draws["spent"][0] == 4


def test_a_number_between_two_ends_lies_at_its_share_of_the_way() -> None:
    draws = records(np.zeros(1, DRAWS))
    draws["given"] = 3
    draws["tape"][0, :3] = [0.0, 0.5, 0.25]
    assert [between(-2.0, 4.0, draws[0]) for _ in range(3)] == [-2.0, 1.0, -0.5]
