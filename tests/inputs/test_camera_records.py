"""The bytes between the camera process and the show."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.inputs.camera_records import (
    HELLO_BYTES,
    RECORD_BYTES,
    TEXT_BYTES,
    BadHello,
    Decoder,
    Kind,
    Loss,
    Record,
    hello,
)

numbers = st.floats(allow_nan=False, width=64)
records = st.builds(
    Record,
    kind=st.sampled_from(Kind),
    at_s=numbers,
    x=numbers,
    y=numbers,
    lit=st.booleans(),
    ignored=st.integers(0, 2**32 - 1),
    restless=st.booleans(),
    frame=st.integers(0, 2**32 - 1),
    loss=st.sampled_from(Loss),
    text=st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20),
)


@given(st.lists(records, max_size=8), st.integers(1, 300))
def test_records_come_back_whatever_pieces_the_pipe_gives(sent: list[Record], piece: int) -> None:
    data = hello(12.5) + b"".join(record.pack() for record in sent)
    decoder = Decoder()
    got = [
        record for start in range(0, len(data), piece) for record in decoder.feed(data[start : start + piece])
    ]
    assert got == sent
    assert decoder.hello_s == 12.5


def test_long_text_is_cut_at_a_whole_character() -> None:
    record = Record(Kind.LOST, text="展" * 600)
    assert len(record.pack()) == RECORD_BYTES
    decoder = Decoder()
    assert decoder.feed(hello(0) + record.pack())[0].text == "展" * (TEXT_BYTES // 3)


def test_text_that_is_no_unicode_comes_through_all_the_same() -> None:
    record = Record(Kind.LOST, text="a\udc93.mp4 is not there")
    assert Decoder().feed(hello(0) + record.pack())[0].text == "a?.mp4 is not there"


def test_another_program_on_the_pipe_is_refused() -> None:
    with pytest.raises(BadHello):
        Decoder().feed(b"Traceback (most recent call last):")
    other_version = bytearray(hello(0))
    other_version[4] ^= 0xFF
    with pytest.raises(BadHello):
        Decoder().feed(bytes(other_version))
    with pytest.raises(BadHello):
        Decoder().feed(hello(0) + b"\xee" * RECORD_BYTES)
    assert HELLO_BYTES < RECORD_BYTES
