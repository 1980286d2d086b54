"""Which cameras there are, by stable identity, without opening one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

DEV = Path("/dev")
BUSES = ("usb-", "pci-", "platform-")  # how names below by-id begin
NAMES = Path("/sys/class/video4linux")


def cameras(dev: Path = DEV, names: Path = NAMES) -> list[dict[str, Any]]:
    """Cameras with `device` (what to give as --camera), `node`, `name` and `stable`.

    A camera often has a second node that carries no pictures; both are listed, the first one first.
    """
    links = _links(dev)
    found = []
    for node in _nodes(dev):
        stable = links.get(node.resolve())
        found.append(
            {
                "device": stable.name if stable else str(node),
                "node": str(node),
                "name": _name(node, names),
                "stable": stable is not None,
            }
        )
    return found


def nodes_for(device: str, dev: Path = DEV) -> list[Path]:
    """The device nodes that `device` may mean, best first; empty when there is none.

    `auto` means every camera; a number, a /dev path, or a name (or its beginning) below by-id.
    """
    if device == "auto":
        links = _links(dev)
        return _by_id(dev) + [node for node in _nodes(dev) if node.resolve() not in links]
    if device.isdecimal():
        return _existing(dev / f"video{device}")
    if device.startswith("/"):
        return _existing(Path(device))
    return [link for link in _by_id(dev) if link.name.startswith(device)]


def is_video_file(device: str, dev: Path = DEV) -> bool:
    """True when `device` names a file (there or not) and no camera."""
    path = Path(device)
    if device == "auto" or device.isdecimal() or device.startswith(BUSES) or path in _nodes(dev):
        return False
    if path.is_file():
        return True
    return not device.startswith(f"{dev}/") and ("/" in device or path.suffix != "")


def _existing(path: Path) -> list[Path]:
    return [path] if path.exists() else []


def _nodes(dev: Path) -> list[Path]:
    nodes = [node for node in dev.glob("video*") if node.name[5:].isdecimal()]
    return sorted(nodes, key=lambda node: int(node.name[5:]))


def _by_id(dev: Path) -> list[Path]:
    return sorted((dev / "v4l" / "by-id").glob("*"))


def _links(dev: Path) -> dict[Path, Path]:
    """Real node -> its by-id link."""
    return {link.resolve(): link for link in _by_id(dev)}


def _name(node: Path, names: Path) -> str:
    try:
        return (names / node.name / "name").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
