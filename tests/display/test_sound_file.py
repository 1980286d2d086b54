"""Files to loop: the four formats as they sound, and everything that is no sound refused by name."""

from __future__ import annotations

import os
import struct
import tracemalloc
import wave
from pathlib import Path

import numpy as np
import pytest

from display.sound import sound_file
from display.sound.ambience import RATE_HZ, Frames
from display.sound.sound_file import SoundFileError, read_loop

pytest.importorskip("miniaudio", reason="no miniaudio wheel for this machine: files cannot be played here")
TONES = Path(__file__).with_name("test_sound_tones")


def write_wav(path: Path, samples: np.ndarray, rate_hz: int, bits: int = 16) -> Path:
    """Samples (frames, channels) in -1..1 as whole numbers of `bits`."""
    with wave.open(str(path), "wb") as file:
        file.setparams((samples.shape[1], bits // 8, rate_hz, 0, "NONE", ""))
        whole = np.round(samples * (2 ** (bits - 1) - 1)).astype("<i4")
        if bits == 8:
            file.writeframes((whole + 128).astype("u1").tobytes())
        else:
            file.writeframes(whole.view("u1").reshape(*whole.shape, 4)[..., : bits // 8].tobytes())
    return path


def tone(rate_hz: int, seconds: float, channels: int = 2) -> np.ndarray:
    """440 Hz at half of full scale on the left, 660 Hz at a quarter on the right."""
    time_s = np.arange(round(rate_hz * seconds)) / rate_hz
    both = np.stack([np.sin(2 * np.pi * 440 * time_s) / 2, np.sin(2 * np.pi * 660 * time_s) / 4], axis=1)
    return both[:, :channels]


def pitch_hz(channel: np.ndarray) -> float:
    spectrum = np.abs(np.fft.rfft(channel * np.hanning(len(channel)), 4 * RATE_HZ))
    return float(spectrum.argmax()) / 4


def check_tone(loop: Frames, levels: tuple[float, float] = (0.5, 0.25), right_hz: float = 660) -> None:
    assert loop.dtype == np.float32
    assert loop.shape[1] == 2
    part = loop[2400:9600]  # codecs begin and end softly
    assert pitch_hz(part[:, 0]) == pytest.approx(440, abs=2)
    assert pitch_hz(part[:, 1]) == pytest.approx(right_hz, abs=2)
    np.testing.assert_allclose(part.std(axis=0) * np.sqrt(2), levels, rtol=0.05)


@pytest.mark.parametrize("ending", ["flac", "ogg", "mp3"])
def test_a_compressed_file_sounds_as_it_was(ending: str) -> None:
    loop = read_loop(str(TONES / f"tone.{ending}"))
    check_tone(loop)
    quarter = RATE_HZ // 4
    assert len(loop) == RATE_HZ, "a quarter of a second, four times: no codec may add silence"
    np.testing.assert_array_equal(loop[:quarter], loop[quarter : 2 * quarter])


@pytest.mark.parametrize(
    ("rate_hz", "bits"), [(48_000, 16), (44_100, 16), (96_000, 24), (22_050, 8), (48_000, 32)]
)
def test_a_wav_of_any_kind_sounds_as_it_was(tmp_path: Path, rate_hz: int, bits: int) -> None:
    loop = read_loop(str(write_wav(tmp_path / "tone.wav", tone(rate_hz, 1.5), rate_hz, bits)))
    check_tone(loop)
    assert len(loop) == pytest.approx(1.5 * RATE_HZ, abs=64)


def test_one_channel_is_heard_on_both_sides(tmp_path: Path) -> None:
    loop = read_loop(str(write_wav(tmp_path / "mono.wav", tone(48_000, 1, channels=1), 48_000)))
    check_tone(loop, (0.5, 0.5), right_hz=440)


def test_content_counts_and_not_the_name(tmp_path: Path) -> None:
    path = tmp_path / "夜の 虫.wav"
    path.write_bytes((TONES / "tone.mp3").read_bytes())
    check_tone(read_loop(str(path)))


def test_a_very_short_sound_is_repeated_to_a_second(tmp_path: Path) -> None:
    loop = read_loop(str(write_wav(tmp_path / "tick.wav", tone(48_000, 0.001), 48_000)))
    assert RATE_HZ <= len(loop) <= RATE_HZ + 48
    np.testing.assert_array_equal(loop[:48], loop[48:96])


def test_values_that_are_no_sound_are_not_passed_on(tmp_path: Path) -> None:
    """A WAV of floats may hold anything; a loudspeaker must not get it."""
    values = np.array([np.nan, np.inf, -np.inf, 1e30, 0.5], "<f4").repeat(20)
    form = struct.pack("<HHIIHH", 3, 1, 48_000, 192_000, 4, 32)
    body = b"WAVEfmt " + struct.pack("<I", 16) + form + b"data" + struct.pack("<I", 400) + values.tobytes()
    (tmp_path / "wild.wav").write_bytes(b"RIFF" + struct.pack("<I", len(body)) + body)
    loop = read_loop(str(tmp_path / "wild.wav"))
    assert np.isfinite(loop).all()
    assert np.abs(loop).max() <= 1
    assert 0.5 in loop


def test_while_a_file_is_read_little_more_is_held_than_the_loop_itself(tmp_path: Path) -> None:
    path = write_wav(tmp_path / "long.wav", np.zeros((48_000 * 60, 2)), 48_000)
    tracemalloc.start()
    loop = read_loop(str(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(loop) == 60 * RATE_HZ
    assert peak < 1.1 * loop.nbytes


def refused(path: Path | str) -> str:
    with pytest.raises(SoundFileError) as caught:
        read_loop(str(path))
    return str(caught.value)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path / "missing.wav") == "No such file or directory"
    assert refused(tmp_path) == "it is not a file"
    assert refused("~nobody-of-that-name/loop.wav")
    assert refused("a\0b.wav")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="only where pipes have names")
def test_a_pipe_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.wav")
    assert refused(tmp_path / "pipe.wav") == "it is not a file"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0" * 5000,
        b"These are words and no sound. " * 200,
        b"RIFF\xff\xff\xff\xffWAVE",
        b"fLaC" + b"\xff" * 300,
        b"OggS" + b"\0" * 300,
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20,
    ],
)
def test_what_is_no_sound_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "loop.wav").write_bytes(content)
    assert refused(tmp_path / "loop.wav") in (
        "it is no WAV, FLAC, OGG Vorbis or MP3 that can be read",
        "it holds no sound",
    )


def test_a_sound_without_length_is_refused(tmp_path: Path) -> None:
    assert refused(write_wav(tmp_path / "empty.wav", np.zeros((0, 2)), 48_000)) == "it holds no sound"


def test_a_file_too_large_is_refused_unread(tmp_path: Path) -> None:
    with (tmp_path / "huge.wav").open("wb") as file:
        file.truncate(sound_file.MOST_BYTES + 1)  # a hole: takes no room
    assert refused(tmp_path / "huge.wav") == "it has over 500 MB"


def test_a_sound_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_wav(tmp_path / "long.wav", np.zeros((8_000 * 121, 1)), 8_000)
    monkeypatch.setattr(sound_file, "MOST_S", 120)
    assert refused(path) == "it is longer than 2 minutes"
    monkeypatch.setattr(sound_file, "MOST_S", 122)
    assert len(read_loop(str(path))) == pytest.approx(121 * RATE_HZ, abs=64)
