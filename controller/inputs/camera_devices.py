"""Which cameras there are, by stable identity, without opening one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

DEV = Path("/dev")
BUSES = ("usb-", "pci-", "platform-")  # how names below by-id begin
NAMES = Path("/sys/class/video4linux")
SHOWN_CHARACTERS = 120


def cameras(dev: Path = DEV, names: Path = NAMES) -> list[dict[str, Any]]:
    """Cameras with `device` (what to give as --camera), `node`, `name` and `stable`.

    A camera often has a second node that carries no pictures; both are listed, the first one first.
    """
    links = _links(dev)
    found = []
    for node in _nodes(dev):
        stable = links.get(_real(node))
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
    A node that has a stable name is given by it, however it was asked for.
    """
    links = _links(dev)
    if device == "auto":
        return [*_by_id(dev), *(node for node in _nodes(dev) if _real(node) not in links)]
    if device.isdecimal() or device.startswith("/"):
        path = dev / f"video{device}" if device.isdecimal() else Path(device)
        return [links.get(_real(path), path)] if _may_exist(path) else []
    return [link for link in _by_id(dev) if link.name.startswith(device)]


def is_video_file(device: str, dev: Path = DEV) -> bool:
    """True when `device` names a file (there or not, readable or not) and no camera."""
    path = Path(device)
    if device == "auto" or device.isdecimal() or device.startswith(BUSES) or path in _nodes(dev):
        return False
    if _is_file(path):
        return True
    return not device.startswith(f"{dev}/") and ("/" in device or path.suffix != "")


def same_camera(identity: str, opened: str) -> bool:
    """True when `identity` (a number, path or stable name) means the node that was opened under `opened`."""
    return opened == (f"video{identity}" if identity.isdecimal() else Path(identity).name)


def shown(device: str) -> str:
    """The name as a message prints it: the end of a very long one, `?` for what is no text."""
    text = device.encode("utf-8", "replace").decode()
    return text if len(text) <= SHOWN_CHARACTERS else "..." + text[3 - SHOWN_CHARACTERS :]


def _may_exist(path: Path) -> bool:
    """False when it is certain that there is nothing: what is closed to us is found out by opening it."""
    try:
        return path.exists()
    except PermissionError:
        return True
    except OSError:
        return False


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False


def _listed(folder: Path, pattern: str) -> list[Path]:
    try:
        return sorted(folder.glob(pattern))
    except OSError:
        return []


def _real(path: Path) -> Path:
    """Where a link leads; itself when that cannot be found out."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # a circle of links
        return path


def _nodes(dev: Path) -> list[Path]:
    nodes = [node for node in _listed(dev, "video*") if node.name[5:].isdecimal()]
    return sorted(nodes, key=lambda node: int(node.name[5:]))


def _by_id(dev: Path) -> list[Path]:
    return _listed(dev / "v4l" / "by-id", "*")


def _links(dev: Path) -> dict[Path, Path]:
    """Real node -> its by-id link."""
    return {_real(link): link for link in _by_id(dev)}


def _name(node: Path, names: Path) -> str:
    try:
        return (names / node.name / "name").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
