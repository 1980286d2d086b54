"""A uniform grid over the agents' positions, so that looking around costs the same anywhere."""

import math

import numba as nb


@nb.njit(cache=True)
def cell_along(position, margin, edge, count):
    """The index of the cell of a coordinate, held within the grid on both sides (NaN: 0)."""
    scaled = (position + margin) / edge
    if not scaled > 0.0:
        return 0
    if scaled >= count:
        return count - 1
    return math.floor(scaled)


@nb.njit(cache=True)
def fill_grid(bugs, margin, edge, columns, rows, starts, cells, places, xs, ys):
    """Counting sort by cell: `starts[c]..starts[c + 1]` are the places of cell c in `xs`, `ys`.

    `cells[i]`, `places[i]` tell where agent i stands. `starts` has columns x rows + 2 entries,
    the other arrays one for each agent.
    """
    starts[: columns * rows + 2] = 0
    for i in range(bugs.size):
        column = cell_along(bugs[i].x, margin, edge, columns)
        cell = cell_along(bugs[i].y, margin, edge, rows) * columns + column
        cells[i] = cell
        starts[cell + 2] += 1
    for cell in range(columns * rows):
        starts[cell + 2] += starts[cell + 1]
    for i in range(bugs.size):
        place = starts[cells[i] + 1]
        starts[cells[i] + 1] = place + 1
        places[i] = place
        xs[place] = bugs[i].x
        ys[place] = bugs[i].y
