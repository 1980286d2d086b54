"""Counter-based uniform numbers: no state to keep, the same for any order of agents and threads."""

import numpy as np

from controller.behavior.compiling import rule

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_TO_UNIT = 1.0 / 9007199254740992.0
MOST_GIVEN = 16
# Where an agent's next number comes from: the `spent`-th of the stream `key`. Tests give the first
# `given` numbers of the first agent on a `tape`, and its smooth `noise` (NaN: its own); `used` tells
# how many it took.
DRAWS = np.dtype(
    [
        *((name, "u8" if name == "key" else "i8") for name in ("key", "spent", "given", "used")),
        ("noise", "f8"),
        ("tape", "f8", (MOST_GIVEN,)),
    ]
)


@rule
def mixed(z):
    """splitmix64's finalizer: 64 well-mixed bits of the 64 in `z`."""
    z = (z ^ (z >> np.uint64(30))) * _MIX_1
    z = (z ^ (z >> np.uint64(27))) * _MIX_2
    return z ^ (z >> np.uint64(31))


@rule
def tick_key(seed, tick):
    """What all agents' keys of one tick come from; both are unsigned 64-bit."""
    return mixed(mixed(seed) + tick * GOLDEN)


@rule
def agent_key(tick_key, agent):
    """The key of one agent's numbers (agent: unsigned 64-bit)."""
    return mixed(tick_key + agent * GOLDEN)


@rule
def hashed_uniform(key, k):
    """The `k`-th number in [0, 1) of the stream `key`."""
    return np.float64(np.int64(mixed(key + np.uint64(k) * GOLDEN) >> np.uint64(11))) * _TO_UNIT


@rule
def uniform(draws):
    """The next number in [0, 1)."""
    k = draws.spent
    draws.spent = k + 1
    if k < draws.given:
        return draws.tape[k]
    return hashed_uniform(draws.key, k)


@rule
def between(low, high, draws):
    """The next number in [low, high)."""
    return low + uniform(draws) * (high - low)
