"""The recording's format, for writing and reading: JSON lines, a head and then rows in their order."""

from __future__ import annotations

import codecs
import hashlib
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, TypeAdapter, ValidationError

from controller.light import Reason, Source
from controller.scenes import LARGEST_PX

SUFFIX = ".jsonl"
FORMAT: Literal["baited recording"] = "baited recording"
VERSION: Literal[1] = 1

# The largest picture of a graphics card, 16,384 px, at the largest `display.scale`, 8.
# A snapshot of 100,000 bugs takes 20 MB.
LONGEST_LINE_BYTES = 2**26

Side = Annotated[int, Field(ge=1, le=LARGEST_PX)]
# As exact in any reader of JSON.
Tick = Annotated[int, Field(ge=0, lt=2**53)]


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)

    def as_line(self) -> bytes:
        """What was given to it as one line of JSON, unchecked; ValueError where JSON has no word for it."""
        return self.model_dump_json(exclude_unset=True, warnings=False).encode() + b"\n"


class Head(_Line):
    """How the scene was opened: its name, settings section, seed and size px, and its tick by then.

    A `snapshot` (base64) wins over opening it anew, with the size that it has. `program` is the version that
    recorded, `sources` a digest of its scenes and rules.
    """

    format: Literal["baited recording"]
    version: Literal[1]
    program: str = ""
    sources: str = ""
    scene: str = "baited"
    settings: dict[str, Any] = {}
    seed: int = Field(1, ge=0, lt=2**63)
    size: tuple[Side, Side] = (1920, 1080)
    tick: Tick = 0
    snapshot: str | None = None


class Row(_Line):
    """What happened to the scene before its step number `tick`, or in it."""

    tick: Tick


class Sample(Row):
    """The light from this tick on, as in LightSample; one like the sample before may be left out."""

    on: bool
    x: float
    y: float
    source: Source = "replay"
    alive: bool = True
    reason: Reason = ""
    at_s: float | None = None


class Reading(NamedTuple):
    """A sample as the frame thread hands it over: making a row of it is left to whoever writes it."""

    tick: int
    on: bool
    x: float
    y: float
    source: Source
    alive: bool
    reason: Reason
    at_s: float | None

    def as_line(self) -> bytes:
        """As that of a Sample, without `at_s` where that is None."""
        content = {name: value for name, value in self._asdict().items() if value is not None}
        return Sample.model_construct(**content).as_line()


class Setting(Row):
    """A setting of the scene was changed, by its name within the section."""

    setting: str
    value: bool | int | float | str


class Resize(Row):
    """The picture has another size, px."""

    size: tuple[Side, Side]


class Visit(Row):
    """A visit began."""

    visit: Literal[True]


class NewScene(Row):
    """Another scene was opened, with its settings section, in the same size and with the same seed."""

    scene: str
    settings: dict[str, Any] = {}


class Restored(Row):
    """The scene went on from a snapshot (base64)."""

    snapshot: str


class End(Row):
    """The last row: `tick` was the last one. `sha256` of the snapshot after it, as hexadecimal digits."""

    end: Literal[True]
    sha256: str | None = Field(None, pattern="^[0-9a-f]{64}$")


def end_row(tick: int, state: bytes | None) -> End:
    """The end after `tick`, with the digest of the scene's snapshot then; None: not to be compared."""
    return End(tick=tick, end=True, sha256=None if state is None else digest(state))


def digest(state: bytes) -> str:
    """The SHA-256 of a scene's snapshot, as hexadecimal digits."""
    return hashlib.sha256(state).hexdigest()


# A row is what it has; the order matters to none of them.
KINDS = ("on", "setting", "size", "visit", "scene", "snapshot", "end")


def _kind_of(content: Any) -> str | None:
    found = [kind for kind in KINDS if isinstance(content, dict) and kind in content]
    return found[0] if len(found) == 1 else None


_ROWS: TypeAdapter[Row] = TypeAdapter(
    Annotated[
        Annotated[Sample, Tag("on")]
        | Annotated[Setting, Tag("setting")]
        | Annotated[Resize, Tag("size")]
        | Annotated[Visit, Tag("visit")]
        | Annotated[NewScene, Tag("scene")]
        | Annotated[Restored, Tag("snapshot")]
        | Annotated[End, Tag("end")],
        Discriminator(
            _kind_of,
            custom_error_type="row",
            custom_error_message=f"a row has a tick and one of {', '.join(KINDS)}",
        ),
    ]
)


class Unreadable(ValueError):
    """A line that is none of this format; `broken` when it is no JSON at all, as one that was cut."""

    def __init__(self, message: str, broken: bool = False) -> None:
        super().__init__(message)
        self.broken = broken


def checked_line(row: Head | Row | Reading) -> bytes:
    """One that comes back when it is read. Raises Unreadable, or ValueError where JSON has no word for it."""
    line = row.as_line()
    (read_head if isinstance(row, Head) else read_row)(line)
    return line


def read_head(line: bytes) -> Head:
    """The first line. Raises Unreadable."""
    try:
        return Head.model_validate_json(line.removeprefix(codecs.BOM_UTF8))
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        if fault["loc"] == ("version",) and fault["type"] != "missing":
            raise Unreadable(
                f"version {fault['input']!r} of the format; this program reads {VERSION}: "
                "use the program that recorded it"
            ) from error
        if not fault["loc"] or fault["loc"] == ("format",):
            raise Unreadable(f'this is no recording: its first line has no "format": "{FORMAT}"') from error
        raise _complaint(error, fault["loc"]) from error


def read_row(line: bytes) -> Row:
    """Any other line. Raises Unreadable."""
    try:
        return _ROWS.validate_json(line)
    except ValidationError as error:
        raise _complaint(error, error.errors(include_url=False)[0]["loc"][1:]) from error


def _complaint(error: ValidationError, place: tuple[int | str, ...]) -> Unreadable:
    fault = error.errors(include_url=False)[0]
    what = "there is no such entry" if fault["type"] == "extra_forbidden" else fault["msg"]
    name = ".".join(str(part) for part in place)
    return Unreadable(f"{name}: {what}" if name else what, broken=fault["type"] == "json_invalid")
