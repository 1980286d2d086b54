"""A uniform grid over the agents' positions, so that looking around costs the same anywhere."""

import numpy as np

from controller.behavior.compiling import rule


@rule
def cell_along(position, margin, per_px, count):
    """The index of the cell of a coordinate, held within the grid on both sides (NaN: 0)."""
    scaled = (position + margin) * per_px
    if not scaled > 0.0:
        return 0
    return count - 1 if scaled >= count else np.int64(scaled)


@rule
def fill_grid(bugs, world, starts, cells, places, xs, ys):
    """Counting sort by cell: `starts[c]..starts[c + 1]` are the places of cell c in `xs`, `ys`.

    A rim of empty cells lies around the columns and rows, so that every cell has neighbours.
    `cells[i]`, `places[i]` tell where agent i stands. `starts` has (columns + 2) x (rows + 2) + 2
    entries, the other arrays one for each agent; all but `xs` and `ys` are int32.
    """
    margin, per_px = world.margin_px, 1.0 / world.cell_px
    starts[:] = 0
    for i in range(bugs.size):
        bug = bugs[i]
        column = cell_along(bug.x, margin, per_px, world.columns)
        row = cell_along(bug.y, margin, per_px, world.rows)
        cell = (row + 1) * (world.columns + 2) + column + 1
        cells[i] = cell
        starts[cell + 2] += 1
    total = np.int32(0)
    for cell in range(starts.size):
        total += starts[cell]
        starts[cell] = total
    for i in range(bugs.size):
        place = starts[cells[i] + 1]
        starts[cells[i] + 1] = place + 1
        places[i] = place
        xs[place] = bugs[i].x
        ys[place] = bugs[i].y
