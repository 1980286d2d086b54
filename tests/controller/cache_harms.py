"""What can happen to a folder of kept kernels; each harm takes the folder."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from controller.kernelcache import MANIFEST


def files(place: Path, pattern: str = "*.nb*") -> list[Path]:
    return sorted(path for path in place.rglob(pattern) if path.is_file())


def cut(place: Path) -> None:
    for path in files(place):
        os.truncate(path, path.stat().st_size // 2)


def empty_files(place: Path) -> None:
    for path in files(place, "*"):
        os.truncate(path, 0)


def empty_folder(place: Path) -> None:
    shutil.rmtree(place)
    place.mkdir()


def file_in_its_place(place: Path) -> None:
    shutil.rmtree(place)
    place.write_text("in the way", encoding="utf-8")


def link_in_its_place(target: str) -> Callable[[Path], None]:
    def change(place: Path) -> None:
        shutil.rmtree(place)
        place.symlink_to(target)

    return change


def garble_one(place: Path) -> None:
    path = files(place)[-1]
    path.write_bytes(bytes(byte ^ 0x5A for byte in path.read_bytes()))


def lose_one(place: Path) -> None:
    files(place, "*.nbc")[0].unlink()


def manifest(content: bytes | None) -> Callable[[Path], None]:
    def change(place: Path) -> None:
        (place / MANIFEST).unlink()
        if content is not None:
            (place / MANIFEST).write_bytes(content)

    return change


def list_one_outside(name: str) -> Callable[[Path], None]:
    """A file beside the cache, listed with its digest under this name; {} stands for its folder."""

    def change(place: Path) -> None:
        outside = place.parent / "outside.nbc"
        outside.write_bytes(b"outside")
        listed = json.loads((place / MANIFEST).read_bytes())
        listed[name.format(place.parent)] = sha256(b"outside").hexdigest()
        (place / MANIFEST).write_text(json.dumps(listed), encoding="utf-8")

    return change


HARMS = {
    "cut": cut,
    "emptied files": empty_files,
    "emptied folder": empty_folder,
    "file in its place": file_in_its_place,
    "link to nowhere in its place": link_in_its_place("nowhere"),
    "link to a folder in its place": link_in_its_place("."),
    "one file garbled": garble_one,
    "one file lost": lose_one,
    "manifest lost": manifest(None),
    "manifest emptied": manifest(b""),
    "manifest garbled": manifest(os.urandom(400)),
    "manifest cut": manifest(b'{"rule.nbi": "0a'),
    "manifest of nothing": manifest(b"{}"),
    "manifest of another kind": manifest(b"[1, 2]"),
    "manifest nested deeply": manifest(b"[" * 200_000 + b"]" * 200_000),
    "manifest that leads out": list_one_outside("../outside.nbc"),
    "manifest that leads out at once": list_one_outside("{}/outside.nbc"),
}
