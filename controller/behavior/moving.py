"""The last part of a tick: turn, step, come back in at the opposite edge (seed 001 by default)."""

from controller.behavior.angles import TWO_PI, clamped, wrapped
from controller.behavior.compiling import rule
from controller.behavior.smooth_noise import PERIOD
from controller.behavior.trigonometry import sine_cosine


@rule
def move(bug, world, turn, noise):
    """Turn by at most 5 turn rates, then step along the new heading at 0.91-0.98 of the speed."""
    limit = bug.turn_rate * world.turn_limit
    heading = wrapped(bug.heading + clamped(turn, -limit, limit))
    bug.heading = heading
    pace = bug.speed * (world.pace_slowest + noise * (world.pace_fastest - world.pace_slowest))
    sine, cosine = sine_cosine(heading)
    bug.x = wrapped_edge(bug.x + cosine * pace, world.width, bug.base_size)
    bug.y = wrapped_edge(bug.y + sine * pace, world.height, bug.base_size)


@rule
def wrapped_edge(position, size, margin):
    """A coordinate that left the screen by more than `margin` comes back at the other edge."""
    if position < -margin:
        return size + margin
    if position > size + margin:
        return -margin
    return position


@rule
def grown(phase, by, period):
    """A phase in [0, period) after growing by 0 <= `by`."""
    phase += by
    if phase >= period:
        phase %= period
    return phase


@rule
def grow_phases(bug, world):
    """Tremor, leg and noise phases after a tick, each within its own period."""
    noise_rate = world.noise_per_tremor * bug.tremor_frequency + world.noise_rate
    bug.noise_phase = grown(bug.noise_phase, noise_rate, PERIOD)
    bug.tremor_phase = grown(bug.tremor_phase, bug.tremor_frequency, TWO_PI)
    bug.leg_phase = grown(bug.leg_phase, bug.speed * world.leg_rate, TWO_PI)
