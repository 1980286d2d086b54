"""Where settings, calibration, database and cache of this user live (standard library only)."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

LASTING = "/var/tmp"


def home_folder(argument: str | None, env: Mapping[str, str]) -> Path:
    """The absolute home folder, not created: `--home`, `BAITED_HOME`, the user's data folder.

    Without a usable user folder it is one in the temp folder, named by the user id.
    Raises PermissionError when that last one belongs to somebody else.
    """
    given = argument or env.get("BAITED_HOME")
    if given:
        return Path(os.path.abspath(os.path.expanduser(given)))
    data = env.get("XDG_DATA_HOME") or env.get("LOCALAPPDATA")
    if data and os.path.isabs(data) and _can_hold(Path(data)):
        return Path(data) / "baited"
    user = Path(env.get("HOME") or os.path.expanduser("~"))
    if user.is_absolute() and os.path.isdir(user) and _can_hold(user / ".local" / "share"):
        return user / ".local" / "share" / "baited"
    return temporary_home()


def is_temporary(home: Path) -> bool:
    """True for the folder that `home_folder` takes when the user has none of their own."""
    return home == _own(tempfile.gettempdir())


def temporary_home() -> Path:
    """A folder in the temp folder for this user alone, not created; PermissionError when it is another's."""
    return _checked(_own(tempfile.gettempdir()))


def fallback_folders() -> list[Path]:
    """Where to put what the home does not take, none created: folders of this user alone.

    The first outlives a restart of the machine, where the temp folder is often emptied. A TMPDIR that is
    given is the only one.
    """
    places = [tempfile.gettempdir()] if os.environ.get("TMPDIR") else [LASTING, tempfile.gettempdir()]
    found = []
    for place in places:
        with suppress(PermissionError):
            found += [_checked(_own(place))] if os.path.isdir(place) else []
    return found


def _own(folder: str) -> Path:
    user = os.getuid() if hasattr(os, "getuid") else "user"
    return Path(folder).absolute() / f"baited-{user}"


def _checked(home: Path) -> Path:
    # The name can be guessed, and everybody may write beside it: take no folder of somebody else's.
    if hasattr(os, "getuid") and os.path.lexists(home):
        found = os.lstat(home)
        if home.is_symlink() or found.st_uid != os.getuid():
            raise PermissionError(
                f"The folder {home} belongs to somebody else and this user has no home folder: "
                "give a folder for settings and data with --home DIR."
            )
    return home


def _can_hold(folder: Path) -> bool:
    """True when `folder` can be written, or made below the nearest folder that exists."""
    # Unlike Path.exists these take what may not be looked at for missing.
    while not os.path.exists(folder) and folder.parent != folder:
        folder = folder.parent
    return os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK)
