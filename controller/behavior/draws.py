"""Counter-based uniform numbers: no state, the same for any order of agents and threads."""

import numba as nb
import numpy as np

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_TO_UNIT = 1.0 / 9007199254740992.0


@nb.njit(cache=True)
def mixed(z):
    """splitmix64's finalizer: 64 well-mixed bits of the 64 in `z`."""
    z = (z ^ (z >> np.uint64(30))) * _MIX_1
    z = (z ^ (z >> np.uint64(27))) * _MIX_2
    return z ^ (z >> np.uint64(31))


@nb.njit(cache=True)
def stream_key(seed, tick, agent):
    """The key of one agent's numbers in one tick; all three are unsigned 64-bit."""
    return mixed(mixed(mixed(seed) + tick * GOLDEN) + agent * GOLDEN)


@nb.njit(cache=True)
def hashed_uniform(key, k):
    """The `k`-th number in [0, 1) of the stream `key`."""
    return np.float64(mixed(key + np.uint64(k) * GOLDEN) >> np.uint64(11)) * _TO_UNIT


@nb.njit(cache=True)
def uniform(bug, tape):
    """The bug's next number in [0, 1): from its row of `tape` (given draws) if there is one."""
    k = bug.spent
    bug.spent = k + 1
    if bug.index < tape.shape[0]:
        return tape[bug.index, k]
    return hashed_uniform(bug.key, k)


@nb.njit(cache=True)
def between(low, high, bug, tape):
    """The bug's next number in [low, high)."""
    return low + uniform(bug, tape) * (high - low)
