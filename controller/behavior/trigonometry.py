"""Sine, cosine and arctangent as polynomials: within 1e-15 of the exact value, and without a call.

The compiler has no fast library for these, and a rule needs several a tick. Terms are summed in pairs, so
that one need not wait for the other (Estrin's scheme).
"""

import math

import numpy as np

from controller.behavior.compiling import rule

HALF_PI = 0.5 * math.pi
QUARTER_PI = 0.25 * math.pi
# pi / 2 - HALF_PI, so that a reduced angle keeps its last digits.
_HALF_PI_REST = 6.123233995736766e-17
_EIGHTH_TURN_TANGENT = math.sqrt(2.0) - 1.0
_SMALLEST = 1e-300


@rule
def sine_cosine(angle):
    """(sin, cos) of an angle (rad); exact to 1e-15 within a turn, beyond to the angle's own last digit.

    Taylor's series after reduction to |r| <= pi / 4.
    """
    quarter = np.floor(angle * (1.0 / HALF_PI) + 0.5)
    r = (angle - quarter * HALF_PI) - quarter * _HALF_PI_REST
    z = r * r
    z2 = z * z
    z4 = z2 * z2
    odd_0 = -1.0 / 6.0 + z * (1.0 / 120.0)
    odd_1 = -1.0 / 5040.0 + z * (1.0 / 362880.0)
    odd_2 = -1.0 / 39916800.0 + z * (1.0 / 6227020800.0)
    odd = r + (r * z) * ((odd_0 + z2 * odd_1) + z4 * (odd_2 - z2 * (1.0 / 1307674368000.0)))
    even_0 = -0.5 + z * (1.0 / 24.0)
    even_1 = -1.0 / 720.0 + z * (1.0 / 40320.0)
    even_2 = -1.0 / 3628800.0 + z * (1.0 / 479001600.0)
    even_3 = -1.0 / 87178291200.0 + z * (1.0 / 20922789888000.0)
    even = 1.0 + z * ((even_0 + z2 * even_1) + z4 * (even_2 + z2 * even_3))
    turn = np.int64(quarter)
    swapped = (turn & 1) != 0
    sine = even if swapped else odd
    cosine = odd if swapped else even
    return (-sine if (turn & 2) != 0 else sine), (-cosine if ((turn + 1) & 2) != 0 else cosine)


@rule
def arctangent(y, x):
    """The angle of (x, y) within [-pi, pi] (rad), 0 for the origin; exact to 1e-15 from 1e-284 on.

    Both must be numbers: a NaN may come out as an angle.
    The ratio is brought within tan(pi / 8) first; there a minimax polynomial of atan(t) / t in t^2.
    """
    ay, ax = abs(y), abs(x)
    low, high = min(ay, ax), max(ay, ax)
    steep = low > _EIGHTH_TURN_TANGENT * high
    t = (low - high if steep else low) / ((low + high if steep else high) + _SMALLEST)
    z = t * t
    z2 = z * z
    z4 = z2 * z2
    p_0 = -0.333333333333287167 + z * 0.199999999989084386
    p_1 = -0.142857141849451387 + z * 0.111111063304966478
    p_2 = -0.0909077633385655567 + z * 0.0768999660145443602
    p_3 = -0.0664058684866746863 + z * 0.0569009560834069775
    p_4 = -0.0435283723830908033 + z * 0.0211911002117541365
    p = (p_0 + z2 * p_1) + z4 * ((p_2 + z2 * p_3) + z4 * p_4)
    angle = t + t * (z * p) + (QUARTER_PI if steep else 0.0)
    angle = HALF_PI - angle if ay > ax else angle
    angle = math.pi - angle if x < 0.0 else angle
    return -angle if y < 0.0 else angle
