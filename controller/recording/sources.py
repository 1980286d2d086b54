"""What the bugs' doing depends on in this program: a digest of the scenes and their rules."""

from __future__ import annotations

import hashlib
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
FOLDERS = ("behavior", "scenes")


def sources_digest() -> str:
    """SHA-256 of the sources, as hexadecimal digits: the same wherever they lie."""
    found = hashlib.sha256()
    for path in sorted(path for folder in FOLDERS for path in (PACKAGE / folder).rglob("*.py")):
        content = path.read_bytes()
        found.update(f"{path.relative_to(PACKAGE).as_posix()} {len(content)}\n".encode() + content)
    return found.hexdigest()
