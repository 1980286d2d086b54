"""The loop of our own and the gain on it: no click anywhere, every frame what it should be."""

from __future__ import annotations

import numpy as np
import pytest

from display.sound.ambience import RATE_HZ, Frames, ambience
from display.sound.mixer import CAPACITY, CLOSING_S, VOLUME_S, Mixer
from display.sound.settings import SoundSettings

FADE_IN, FADE_OUT = 72_000, 96_000  # 1.5 s and 2.0 s
ONE_STEP = 1 / FADE_IN


@pytest.fixture(scope="module")
def loop() -> Frames:
    return ambience()


def hiss(loop: Frames, at: int) -> float:
    """The share of energy above 9 kHz in 21 ms around a frame: a click has it, our loop has none."""
    frames = np.roll(loop, 512 - at, axis=0)[:1024] * np.hanning(1024)[:, None]
    energy = (np.abs(np.fft.rfft(frames, axis=0)) ** 2).sum(1)
    return float(energy[192:].sum() / energy.sum())


def test_the_loop_is_a_quiet_half_minute_and_always_the_same(loop: Frames) -> None:
    assert loop.dtype == np.float32
    assert loop.shape[1] == 2
    assert 20 <= len(loop) / RATE_HZ <= 30
    assert np.isfinite(loop).all()
    assert 0.1 < np.abs(loop).max() < 0.25
    assert (loop.std(axis=0) > 0.01).all()
    assert (np.abs(loop.mean(axis=0)) < 1e-4).all()
    np.testing.assert_array_equal(loop, ambience())


def test_the_end_of_the_loop_leads_into_its_start(loop: Frames) -> None:
    steps = np.abs(np.diff(loop, axis=0))
    assert (np.abs(loop[0] - loop[-1]) <= np.percentile(steps, 99, axis=0)).all()
    assert hiss(loop, 0) < 1e-5
    assert max(hiss(loop, at) for at in range(0, len(loop), 50_021)) < 1e-5
    assert hiss(loop[:-500], 0) > 1e-4, "a seam that clicks would not be seen"


def test_no_pitch_stands_out(loop: Frames) -> None:
    """No band of 20 Hz holds a sixth of a channel's energy, as a lasting tone would."""
    energy = np.abs(np.fft.rfft(loop, axis=0)) ** 2
    bands = energy[: len(energy) // 480 * 480].reshape(-1, 480, 2).sum(1)  # 20 Hz each
    assert (bands.max(axis=0) < bands.sum(axis=0) / 6).all()


def steady(loop: Frames, **settings: float) -> Mixer:
    mixer = Mixer(SoundSettings(volume=1.0, **settings))  # type: ignore[arg-type]
    mixer.loop = loop
    return mixer


def ones(**settings: float) -> Mixer:
    """A loop of ones: what comes out is the gain itself."""
    return steady(np.ones((48_017, 2), np.float32), **settings)


def pour(mixer: Mixer, frames: int, block: int = 1440) -> Frames:
    """The next frames, taken in blocks as a device takes them."""
    parts = []
    while frames:
        some = min(block, frames)
        parts.append(np.frombuffer(mixer.fill(some), np.float32).reshape(-1, 2).copy())
        frames -= some
    return np.concatenate(parts)


@pytest.mark.parametrize("block", [1440, 1, 977, 3 * CAPACITY])
def test_the_sound_comes_in_within_a_second_and_a_half_to_the_frame(block: int) -> None:
    mixer = ones()
    frames = FADE_IN + 10 if block > 1 else 2_000
    assert pour(mixer, 100).max() == 0
    mixer.lit = True
    heard = pour(mixer, frames, block)
    wanted = np.minimum(np.arange(1, frames + 1) / FADE_IN, 1)
    np.testing.assert_allclose(heard, np.stack([wanted, wanted], 1), rtol=0, atol=1e-7)
    if block > 1:
        assert heard[FADE_IN - 2, 0] < 1 == heard[FADE_IN - 1, 0]


def test_the_sound_goes_within_two_seconds_to_the_frame() -> None:
    mixer = ones()
    mixer.lit = True
    pour(mixer, FADE_IN)
    mixer.lit = False
    heard = pour(mixer, FADE_OUT + 10)[:, 0]
    np.testing.assert_allclose(heard[:FADE_OUT], 1 - np.arange(1, FADE_OUT + 1) / FADE_OUT, atol=1e-7)
    assert heard[FADE_OUT - 2] > 0 == heard[FADE_OUT - 1] == heard[-1]


def test_a_light_that_turns_round_in_the_middle_makes_no_jump() -> None:
    mixer = ones()
    random = np.random.default_rng(1)
    heard = []
    for turn in range(60):
        mixer.lit = turn % 2 == 0
        heard.append(pour(mixer, int(random.integers(1, 40_000))))
    gains = np.concatenate([np.zeros((1, 2), np.float32), *heard])[:, 0]
    assert np.abs(np.diff(gains)).max() < ONE_STEP * 1.01
    assert gains.max() > 0.3


def test_a_changed_fade_goes_on_from_the_present_gain() -> None:
    mixer = ones()
    mixer.lit = True
    before = pour(mixer, FADE_IN // 3)[-1, 0]
    mixer.fade_in_s = 10.0
    after = pour(mixer, 48_000)[:, 0]
    assert after[0] - before == pytest.approx(1 / 480_000, abs=1e-7)
    assert after[-1] - before == pytest.approx(0.1, abs=1e-6)


def test_the_volume_changes_without_a_click() -> None:
    mixer = ones()
    mixer.lit = True
    pour(mixer, FADE_IN)
    before = pour(mixer, 1)
    mixer.volume = 0.25
    heard = np.concatenate([before, pour(mixer, RATE_HZ)])[:, 0]
    assert np.abs(np.diff(heard)).max() < 1.01 / (VOLUME_S * RATE_HZ)
    assert heard[-1] == 0.25


@pytest.mark.parametrize("length", [7, 1439, 1440, 48_000])
def test_the_loop_goes_round_without_a_gap(length: int) -> None:
    mixer = steady(np.random.default_rng(length).uniform(-1, 1, (length, 2)).astype(np.float32))
    mixer.lit = True
    pour(mixer, FADE_IN)
    heard = pour(mixer, 60_000)
    place = np.arange(FADE_IN, FADE_IN + 60_000) % length
    np.testing.assert_array_equal(heard, mixer.loop[place])


def test_time_goes_on_alike_with_and_without_a_device() -> None:
    fed, alone = ones(), ones()
    for lit, frames in ((True, 50_000), (False, 30_000), (True, 100_000), (False, 200_000), (True, 7)):
        fed.lit = alone.lit = lit
        pour(fed, frames)
        alone.skip(frames)
        assert alone.gain == pytest.approx(fed.gain, abs=1e-9)
        assert alone.position == fed.position


def test_the_end_is_short_and_without_a_click() -> None:
    mixer = ones()
    mixer.lit = True
    pour(mixer, FADE_IN)
    before = pour(mixer, 1)
    mixer.closing = True
    heard = np.concatenate([before, pour(mixer, int(CLOSING_S * RATE_HZ) + 1)])[:, 0]
    assert np.abs(np.diff(heard)).max() < 1.01 / (CLOSING_S * RATE_HZ)
    assert heard[-1] == 0


def test_switched_off_it_is_silent_and_on_again_it_fades_in() -> None:
    mixer = ones()
    mixer.on, mixer.lit = False, True
    assert pour(mixer, 1000).max() == 0
    mixer.on = True
    assert pour(mixer, 1000)[-1, 0] == pytest.approx(1000 * ONE_STEP, abs=1e-7)
