"""A disk that loses its power: the file operations of a process, replayed up to any of them.

What was synced is there after the cut. Of what came later, each sector of 512 bytes may or may not have
reached the disk, whatever the order, and of new, removed and renamed names the first few, in order.
"""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

SECTOR = 512
CALLS = "openat,close,write,pwrite64,ftruncate,fsync,fdatasync,unlinkat,renameat,renameat2,?unlink,?rename"
LINE = re.compile(r"^(\d+) +(\w+)\((.*)\) += (-?\d+)")
PARTED = re.compile(r"^(\d+) +(.*) <unfinished \.\.\.>$")
RESUMED = re.compile(r"^(\d+) +<\.\.\. \w+ resumed>(.*)$")
STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')


class Call(NamedTuple):
    """One call that did its work: its name, the bytes and the plain words among its arguments."""

    name: str
    texts: list[bytes]
    words: list[str]
    result: int


def trace_of(command: list[str], env: dict[str, str], file: Path) -> list[Call]:
    """Run a command to its end and return the calls of all its threads, in the order of their ends."""
    tracer = ["strace", "-f", "-xx", "-s", "1000000", "-e", f"trace={CALLS}", "-e", "signal=none"]
    done = subprocess.run([*tracer, "-o", str(file), *command], env=env, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return list(_calls(file))


def can_trace() -> bool:
    """Whether strace is there and may trace (some containers forbid it)."""
    try:
        done = subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, check=False)
    except OSError:
        return False
    return done.returncode == 0


def whole_lines(file: Path) -> Iterator[str]:
    """The lines of a trace, each call that another thread parted put together again."""
    begun: dict[str, str] = {}
    with file.open(encoding="ascii") as lines:
        for line in lines:
            whole = line.rstrip("\n")
            if parted := PARTED.match(whole):
                begun[parted[1]] = parted[2]
                continue
            if resumed := RESUMED.match(whole):
                whole = f"{resumed[1]} {begun.pop(resumed[1])}{resumed[2]}"
            yield whole


def _calls(file: Path) -> Iterator[Call]:
    for line in whole_lines(file):
        found = LINE.match(line)
        if found and not found[4].startswith("-"):
            texts = [bytes.fromhex(text.replace("\\x", "")) for text in STRING.findall(found[3])]
            words = STRING.sub('""', found[3]).split(", ")
            yield Call(found[2], texts, words, int(found[4]))


@dataclass
class Content:
    """The bytes of one file: those that are safe, and the writes and new lengths since the last sync."""

    safe: bytearray = field(default_factory=bytearray)
    length: int = 0
    later: list[tuple[int, bytes | None]] = field(default_factory=list)

    def write(self, at: int, data: bytes) -> None:
        self.later.append((at, data))
        self.length = max(self.length, at + len(data))

    def cut_to(self, length: int) -> None:
        self.later.append((length, None))
        self.length = length

    def sync(self) -> None:
        for at, data in self.later:
            _apply(self.safe, at, data)
        self.later.clear()

    def after_cut(self, chance: random.Random, share: float) -> bytes:
        """What a new start finds; of what was not synced each sector is there with chance `share`."""
        found = bytearray(self.safe)
        for at, data in self.later:
            if data is None:
                if chance.random() < share:
                    _apply(found, at, None)
                continue
            for begin, end in _sectors(at, len(data)):
                if chance.random() < share:
                    _apply(found, begin, data[begin - at : end - at])
        return bytes(found)


def _apply(content: bytearray, at: int, data: bytes | None) -> None:
    end = at if data is None else at + len(data)
    content.extend(bytes(max(0, end - len(content))))
    if data is None:
        del content[at:]
    else:
        content[at:end] = data


def _sectors(at: int, size: int) -> Iterator[tuple[int, int]]:
    begin = at
    while begin < at + size:
        end = min(at + size, (begin // SECTOR + 1) * SECTOR)
        yield begin, end
        begin = end


class Disk:
    """One folder of a traced process, and all that it told on standard output so far."""

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder).encode()
        self._names: dict[bytes, Content] = {}
        self._safe_names: dict[bytes, Content] = {}
        self._later_names: list[tuple[bytes, Content | None]] = []
        # Content and offset by number; None is the folder itself.
        self._open: dict[int, tuple[Content | None, int]] = {}
        self.told = b""

    def do(self, call: Call) -> None:
        """Carry out one call."""
        if call.name == "openat":
            self._open_file(call)
        elif call.name.startswith("unlink"):
            self._rename(call.texts[0], b"")
        elif call.name.startswith("rename"):
            self._rename(call.texts[0], call.texts[1])
        elif call.name == "write" and call.words[0] == "1":
            self.told += call.texts[0]
        elif int(call.words[0]) in self._open:
            self._work(int(call.words[0]), call)

    def after_cut(self, folder: Path, chance: random.Random) -> None:
        """Write the files that a start after a cut at this moment may find."""
        share = chance.choice([0.0, 0.5, 1.0, chance.random()])
        names = dict(self._safe_names)
        for name, content in self._later_names[: round(share * len(self._later_names))]:
            _name(names, name, content)
        for name, content in names.items():
            (folder / name.decode()).write_bytes(content.after_cut(chance, share))

    def _open_file(self, call: Call) -> None:
        path = call.texts[0]
        self._open.pop(call.result, None)
        if path == self._folder:
            self._open[call.result] = (None, 0)
        # The index of the write-ahead log is memory, shared by a file that is never synced.
        if not path.startswith(self._folder + b"/") or path.endswith(b"-shm"):
            return
        name = path[len(self._folder) + 1 :]
        if name not in self._names:
            self._set_name(name, Content())
        content = self._names[name]
        if "O_TRUNC" in call.words[2]:
            content.cut_to(0)
        self._open[call.result] = (content, content.length if "O_APPEND" in call.words[2] else 0)

    def _work(self, number: int, call: Call) -> None:
        content, offset = self._open[number]
        if call.name == "close":
            del self._open[number]
        elif content is None:
            self._safe_names = dict(self._names)
            self._later_names.clear()
        elif call.name == "write":
            content.write(offset, call.texts[0][: call.result])
            self._open[number] = (content, offset + call.result)
        elif call.name == "pwrite64":
            content.write(int(call.words[-1]), call.texts[0][: call.result])
        elif call.name == "ftruncate":
            content.cut_to(int(call.words[1]))
        else:
            content.sync()

    def _rename(self, old_path: bytes, new_path: bytes) -> None:
        old, new = (path.removeprefix(self._folder + b"/") for path in (old_path, new_path))
        if old in self._names:
            content = self._names[old]
            if new:
                self._set_name(new, content)
            self._set_name(old, None)

    def _set_name(self, name: bytes, content: Content | None) -> None:
        self._later_names.append((name, content))
        _name(self._names, name, content)


def _name(names: dict[bytes, Content], name: bytes, content: Content | None) -> None:
    if content is None:
        names.pop(name, None)
    else:
        names[name] = content
