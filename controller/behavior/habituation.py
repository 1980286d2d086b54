"""Interest in the light: habituation inside the circle, recovery in the dark (seed 001)."""

import numba as nb

from controller.behavior.angles import clamped


@nb.njit(cache=True)
def update_interest(bug, world, distance):
    """Lit and inside: minus the bug's decay rate. Dark: plus the recovery rate. Held in 0..1."""
    if world.on:
        if distance < world.light_radius:
            bug.interest -= bug.decay_rate
    else:
        bug.interest += world.recovery_rate
    bug.interest = clamped(bug.interest, 0.0, 1.0)


@nb.njit(cache=True)
def notice_light_on(bug, world):
    """The light came on: interest rises by the onset gain and the reaction delay starts anew."""
    bug.reaction_timer = bug.reaction_delay
    bug.reacted = False
    bug.interest = clamped(bug.interest + world.onset_gain, 0.0, 1.0)


@nb.njit(cache=True)
def update_reaction(bug, world):
    """Count the reaction delay down while lit; the dark forgets."""
    if not world.on:
        bug.reacted = False
    elif not bug.reacted:
        bug.reaction_timer -= 1
        if bug.reaction_timer <= 0:
            bug.reacted = True
