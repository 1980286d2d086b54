"""Draws figures 1-3 of seed 001 as SVG and PNG; equal numbers give equal bytes."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from controller.stepper import TICKS_PER_S
from controller.studies.figures import Curve, Figures, Numbers, OnOffOn, Steps, seconds
from logs.durable import sync_folder

BINS = 48
SIZE_IN, PNG_DPI = (8.0, 4.6), 150
GROUND, INK, PALE, FAINT = "#0b0c0f", "#e9e9e6", "#a3a6ad", "#4a4d55"
TINTS = ("#f2b84b", "#f4f4f0", "#5cb8d9")
STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "baited",
    "font.family": "DejaVu Sans",
    "font.size": 11.0,
    "text.color": INK,
    "axes.facecolor": GROUND,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.titlelocation": "left",
    "axes.titlepad": 12.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 10.0,
    "ytick.labelsize": 10.0,
    "lines.linewidth": 1.8,
    "legend.frameon": False,
    "legend.labelcolor": "linecolor",
    "figure.facecolor": GROUND,
}
CAPTION = "Made by the shipped rules with these constants; others in config.toml make another figure."


def draw(figures: Figures, folder: Path, cache: Path) -> list[Path]:
    """Write three pictures, each as SVG and PNG, into a folder that is there; gives their paths.

    They take the places of older ones when all are drawn: what interrupts it before changes none.
    `cache`: where the list of this machine's fonts is kept. Raises OSError when a file cannot be
    written.
    """
    os.environ.setdefault("MPLCONFIGDIR", str(cache))
    logging.getLogger("matplotlib").setLevel(logging.WARNING)
    with TemporaryDirectory(prefix=".new-", dir=folder) as aside:
        drawn = _draw_all(figures, Path(aside))
        written = [path.replace(folder / path.name) for path in drawn]
    sync_folder(folder)
    return written


def _draw_all(figures: Figures, folder: Path) -> list[Path]:
    drawn = []
    with _style():
        for name, picture in _pictures(figures):
            for path, options in (
                (folder / f"{name}.svg", {"metadata": {"Date": None}}),
                (folder / f"{name}.png", {"dpi": PNG_DPI}),
            ):
                picture.savefig(path, **options)
                drawn.append(path)
    return drawn


@contextmanager
def _style() -> Iterator[None]:
    """Our look, whatever style files this user has."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        yield


def _pictures(figures: Figures) -> Iterator[tuple[str, Any]]:
    settings = figures.settings
    limits_px = settings.search.step_min_px, settings.search.step_max_px
    bored = f"Bored at {settings.boredom_threshold:g}"
    rates = f"recovery {settings.recovery_rate:g} a tick, gain at ON {settings.onset_gain:g}"
    yield "1-step-lengths", _step_lengths(figures.steps, *limits_px)
    paler = "paler: how it goes on for a bug that is held there"
    yield (
        "2-habituation",
        _habituation(figures.habituation, settings.boredom_threshold, f"{bored}; ticks of 1/60 s; {paler}."),
    )
    yield (
        "3-on-off-on",
        _on_off_on(figures.on_off_on, settings.boredom_threshold, f"{bored}, {rates}; ticks of 1/60 s."),
    )


def _axes(title: str, constants: str) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    picture = Figure(figsize=SIZE_IN)
    axes = picture.add_axes((0.1, 0.24, 0.86, 0.65))
    axes.set_title(title, fontsize=13)
    picture.text(0.1, 0.03, f"{constants}\n{CAPTION}", fontsize=8.5, color=PALE, linespacing=1.5)
    return picture, axes


def _step_lengths(curves: list[Steps], shortest_px: float, longest_px: float) -> Any:
    samples = len(curves[0].lengths_px)
    picture, axes = _axes(
        f"Lengths of search steps: {samples:,} for each exponent",
        f"Steps from {shortest_px:g} px; whatever would be longer than {longest_px:g} px is cut there.",
    )
    # Of all: +0.001 makes some shorter than the shortest that is set.
    least_px = min(longest_px - 1.0, *(steps.lengths_px.min() for steps in curves))
    bin_px = (longest_px - least_px) / BINS
    # One more for those at the longest.
    edges = np.append(np.linspace(least_px, longest_px, BINS + 1), longest_px + bin_px)
    for steps, tint in zip(curves, TINTS, strict=True):
        shares = np.histogram(steps.lengths_px, edges)[0] / samples
        label = f"μ = {steps.mu}:  {100 * steps.cut_share:.1f} % cut at {longest_px:g} px"
        axes.stairs(shares, edges, color=tint, label=label, linewidth=1.6, baseline=None)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(lambda share, _: f"{100 * share:g} %")
    axes.set(xlabel="step length (px)", ylabel=f"steps in each {bin_px:.3g} px", ylim=(None, 1.0))
    axes.legend(loc="upper right")
    return picture


def _habituation(curves: list[Curve], threshold: float, constants: str) -> Any:
    picture, axes = _axes("Interest of a bug that stays in the light", constants)
    _threshold(axes, threshold)
    for curve, tint in zip(curves, TINTS, strict=True):
        _habituation_curve(axes, curve, threshold, tint)
    end_tick = max(curve.bored_tick or 0 for curve in curves) or len(curves[0].interest)
    axes.set(xlabel="time in the light (s)", xlim=(0.0, 1.25 * end_tick / TICKS_PER_S))
    axes.set(ylabel="interest", ylim=(-0.04, 1.06))
    axes.legend(loc="best")
    return picture


def _habituation_curve(axes: Any, curve: Curve, threshold: float, tint: str) -> None:
    time_s, bored_s = _times_s(curve.interest), seconds(curve.bored_tick)
    words = f"not bored within {time_s[-1]:.0f} s" if bored_s is None else f"bored after {bored_s:.1f} s"
    until = slice(None if curve.bored_tick is None else curve.bored_tick + 1)
    axes.plot(time_s, curve.interest, color=tint, alpha=0.4)
    label = f"{curve.decay_rate:g} a tick: {words}"
    axes.plot(time_s[until], curve.interest[until], color=tint, label=label)
    if bored_s is not None:
        _mark(axes, bored_s, threshold, f"{bored_s:.1f} s", tint)


def _on_off_on(found: OnOffOn, threshold: float, constants: str) -> Any:
    picture, axes = _axes(f"Interest at {found.decay_rate:g} a tick: light on, off, on again", constants)
    time_s = _times_s(found.interest)
    changes_s = [0.0, found.off_tick / TICKS_PER_S, found.on_tick / TICKS_PER_S, float(time_s[-1])]
    for number, word in enumerate(("ON", "OFF", "ON")):
        start_s, end_s = changes_s[number : number + 2]
        if word == "ON":
            axes.axvspan(start_s, end_s, color=TINTS[0], alpha=0.12, linewidth=0)
        axes.text((start_s + end_s) / 2, 1.1, word, ha="center", va="center", fontsize=9, color=PALE)
    _threshold(axes, threshold)
    axes.plot(time_s, found.interest, color=TINTS[1])
    for tick, interest in found.corners:
        _mark(axes, tick / TICKS_PER_S, interest, f"{interest:.2f}", TINTS[0])
    for tick in found.bored_ticks:
        _mark(axes, tick / TICKS_PER_S, threshold, f"{tick / TICKS_PER_S:.1f} s", TINTS[2], (-46, -14))
    axes.set(xlabel="time (s)", ylabel="interest", xlim=(0.0, changes_s[-1]), ylim=(-0.04, 1.16))
    return picture


def _threshold(axes: Any, threshold: float) -> None:
    axes.axhline(threshold, color=INK, linestyle=(0, (4, 4)), linewidth=1.0)
    place = axes.get_yaxis_transform()
    axes.text(0.01, threshold - 0.02, f"threshold {threshold:g}", transform=place, va="top", fontsize=10)


def _mark(
    axes: Any, time_s: float, interest: float, words: str, tint: str, aside: tuple[float, float] = (8, 3)
) -> None:
    axes.plot([time_s], [interest], "o", color=tint, markersize=5.5, clip_on=False)
    axes.annotate(words, (time_s, interest), aside, textcoords="offset points", color=tint)


def _times_s(interest: Numbers) -> Numbers:
    """The time of each tick."""
    return np.arange(len(interest)) / TICKS_PER_S
