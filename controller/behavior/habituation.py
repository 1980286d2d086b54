"""Interest in the light: habituation inside the circle, recovery in the dark (seed 001)."""

from controller.behavior.angles import clamped
from controller.behavior.compiling import rule


@rule
def update_interest(bug, world, distance):
    """Lit and inside: minus the bug's decay rate. Dark: plus the recovery rate. Held in 0..1."""
    if world.on:
        if distance < world.light_radius_px:
            bug.interest = clamped(bug.interest - bug.decay_rate, 0.0, 1.0)
    else:
        bug.interest = clamped(bug.interest + world.recovery_rate, 0.0, 1.0)


@rule
def notice_light_on(bug, world):
    """The light came on: interest rises by the onset gain and the reaction delay starts anew."""
    bug.reaction_timer = bug.reaction_delay
    bug.reacted = False
    bug.interest = clamped(bug.interest + world.onset_gain, 0.0, 1.0)


@rule
def update_reaction(bug, world):
    """Count the reaction delay down while lit; the dark forgets."""
    if not world.on:
        bug.reacted = False
    elif not bug.reacted:
        bug.reaction_timer -= 1
        if bug.reaction_timer <= 0:
            bug.reacted = True
