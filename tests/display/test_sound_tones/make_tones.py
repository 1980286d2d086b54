"""Makes the tones beside it: `pip install soundfile`, then `python make_tones.py`.

A quarter of a second, 440 Hz on the left at half of full scale, 660 Hz on the right at a quarter.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import soundfile

RATE_HZ = 44_100
FORMATS = {"flac": "PCM_16", "ogg": "VORBIS", "mp3": "MPEG_LAYER_III"}

if __name__ == "__main__":
    time_s = np.arange(RATE_HZ // 4) / RATE_HZ
    tone = np.stack([np.sin(2 * np.pi * 440 * time_s) / 2, np.sin(2 * np.pi * 660 * time_s) / 4], 1)
    for ending, subtype in FORMATS.items():
        soundfile.write(Path(__file__).with_name(f"tone.{ending}"), tone, RATE_HZ, subtype)
