"""All that a process and its children write, as the system sees it: which files, and which bytes."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.logs.power_cut import whole_lines

OPENING = {"open", "openat", "openat2", "creat"}
RENAMING = {"rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat"}
WRITING = {"write", "pwrite64", "writev", "pwritev", "pwritev2", "sendto", "sendmsg", "sendmmsg"}
LINE = re.compile(r"^(\d+) +(\w+)\((.*)\) += (-?\d+)(?:<(.*?)>)?")
PLACE = re.compile(r"^\d+<(.*?)>")
STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?')
LONGEST = 16_000_000


@dataclass
class Written:
    """`files`: names that were opened for writing or given by a rename; `data`: bytes by where they went."""

    files: set[str] = field(default_factory=set)
    data: dict[str, bytearray] = field(default_factory=lambda: defaultdict(bytearray))


def can_trace() -> bool:
    """Whether strace is there and may trace (some containers forbid it)."""
    if shutil.which("strace") is None:
        return False
    done = subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, check=False)
    return done.returncode == 0


def tracer(file: Path) -> list[str]:
    """The words before a command that make it write what it does to `file`."""
    calls = ",".join(f"?{name}" for name in sorted(OPENING | RENAMING | WRITING))
    options = ["-f", "--seccomp-bpf", "-y", "-xx", "-s", str(LONGEST), "-e", "signal=none"]
    return ["strace", *options, "-e", f"trace={calls}", "-o", str(file)]


def read_trace(file: Path) -> Written:
    """What stands in such a file."""
    found = Written()
    for name, arguments, place in _calls(file):
        texts = [_bytes(text[1]) for text in STRING.finditer(arguments)]
        if (name in OPENING and re.search("O_WRONLY|O_RDWR|O_CREAT", arguments)) or name == "creat":
            found.files.add(place)
        elif name in RENAMING:
            found.files.add(texts[-1].decode())
        elif name in WRITING:
            to = PLACE.match(arguments)
            assert to is not None, arguments[:200]
            assert not [text for text in STRING.finditer(arguments) if text[2]], "longer than was traced"
            found.data[_plain(to[1])] += b"".join(texts)
    return found


def _calls(file: Path) -> Iterator[tuple[str, str, str]]:
    """Name, arguments and the place of the result of each call that did its work."""
    for line in whole_lines(file):
        call = LINE.match(line)
        if call and not call[4].startswith("-"):
            yield call[2], call[3], _plain(call[5] or "")


def _bytes(escaped: str) -> bytes:
    return bytes.fromhex(escaped.replace("\\x", ""))


def _plain(place: str) -> str:
    """A path or the like, which may stand in hexadecimal escapes."""
    return _bytes(place).decode(errors="replace") if place.startswith("\\x") else place
