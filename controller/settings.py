"""All settings: the folders' sections, the hand-written `config.toml`, the panel's changes on top of it."""

from __future__ import annotations

import difflib
import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from controller.inputs.camera_settings import CameraSettings
from controller.inputs.settings import DemoSettings
from controller.panel_file import FILE as PANEL_FILE
from controller.panel_file import read_panel, toml_value
from controller.scenes.baited.settings import BaitedSettings
from display.settings import DisplaySettings
from display.sound.settings import SoundSettings
from logs.settings import LogSettings

FILE = "config.toml"
DATABASE = "visits.db"
CAMERA_PROFILE = Path("calibration", "camera.json")


class ConfigError(ValueError):
    """A setting that does not exist or whose value cannot be: to be mended in the file by hand."""


class ShowSettings(BaseModel):
    """The show as a whole."""

    model_config = ConfigDict(extra="forbid", validate_assignment=True, allow_inf_nan=False)

    scene: Literal["baited"] = Field("baited", description="The scene that is shown.")
    source: Literal["auto", "mouse", "demo", "camera"] = Field(
        "auto", description="The light; auto: a calibrated camera, else the mouse, without a window demo."
    )


SECTIONS: dict[str, type[BaseModel]] = {
    "show": ShowSettings,
    "display": DisplaySettings,
    "sound": SoundSettings,
    "log": LogSettings,
    "camera": CameraSettings,
    "demo": DemoSettings,
    "baited": BaitedSettings,
}


@dataclass
class Settings:
    """The settings in force. `origins` tells "panel", "file" or "default" for each `section.key`.

    `configured` are the sections without what was set at the panel.
    """

    sections: dict[str, BaseModel]
    origins: dict[str, str]
    path: Path
    configured: dict[str, BaseModel] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.configured = self.configured or dict(self.sections)
        self._configured_origins = dict(self.origins)

    def as_json(self) -> str:
        """All values in force, for the log's run row."""
        return json.dumps({name: section.model_dump(mode="json") for name, section in self.sections.items()})

    def __getitem__(self, section: str) -> Any:
        """The section of that dotted name."""
        return _value(self.sections, section)

    def configured_value(self, full_name: str) -> Any:
        """The value that `section.key` has without the panel."""
        return _value(self.configured, full_name)

    def changed(self, values: Mapping[str, Any]) -> dict[str, BaseModel]:
        """The sections as they would be with these values by `section.key`; nothing changes yet.

        Raises ConfigError when one of them cannot be, alone or beside the others.
        """
        return {
            top: _section(top, _with(self.sections[top], inner)) for top, inner in _by_section(values).items()
        }

    def accept(self, sections: Mapping[str, BaseModel]) -> None:
        """Put sections of `changed` in force; a value that is not as configured is then the panel's."""
        self.sections.update(sections)
        for name in live_settings():
            own = _value(self.sections, name) != self.configured_value(name)
            self.origins[name] = "panel" if own else self._configured_origins[name]

    def panel_values(self) -> dict[str, Any]:
        """What `panel.toml` is to keep: the live settings that are not as configured."""
        return {
            name: value
            for name in live_settings()
            if (value := _value(self.sections, name)) != self.configured_value(name)
        }


def load(home: Path) -> Settings:
    """Read `config.toml` in `home`, and `panel.toml` on top of it.

    A missing file means defaults. One that cannot be read is left as it is and the defaults
    are used, with a warning. Raises ConfigError for an unknown name or a value out of range in
    `config.toml`; what cannot be in `panel.toml` is left out with a warning each.
    """
    settings = _load_config(home)
    _lay_panel_on(settings, home)
    return settings


def _load_config(home: Path) -> Settings:
    path = home / FILE
    try:
        values = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        return _compose({}, path)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        settings = _compose({}, path)
        settings.warnings.append(
            f"{path} cannot be read ({error}); it is left as it is and the defaults are used. "
            "Mend it or move it away."
        )
        return settings
    return _compose(values, path)


def _compose(values: Mapping[str, Any], path: Path) -> Settings:
    for name, content in values.items():
        if name not in SECTIONS:
            raise ConfigError(f"{path}: there is no section [{name}]{_nearest(name, SECTIONS)}")
        if not isinstance(content, dict):
            raise ConfigError(f"{path}: [{name}] must be a section, not a value")
        _check_names(name, SECTIONS[name], content, path)
    sections = {name: _section(name, values.get(name, {}), f"{path}: ") for name in SECTIONS}
    given = set(_leaves("", values))
    origins = {
        f"{section}.{key}": "file" if f"{section}.{key}" in given else "default"
        for section, model in all_sections()
        for key in plain_fields(model)
    }
    return Settings(sections, origins, path)


def _lay_panel_on(settings: Settings, home: Path) -> None:
    values, fault = read_panel(home)
    known = live_settings()
    left_out = {name: "it is no setting of the panel" for name in values if name not in known}
    for top in SECTIONS:
        own = {name: value for name, value in values.items() if name in known and name.split(".")[0] == top}
        left_out |= _lay_on(settings, own)
    if fault:
        settings.warnings.append(fault)
    for name, why in left_out.items():
        settings.warnings.append(f"{home / PANEL_FILE}: {name} = {values[name]!r:.60} is left out: {why}")


def _lay_on(settings: Settings, values: dict[str, Any]) -> dict[str, str]:
    """Put one section's values in force, as many as can be; the others with the reason.

    The order must not matter where two depend on each other: all at once, else round after round.
    """
    if not _refusal(settings, values):
        return {}
    waiting = values
    while True:
        refused = {name: why for name in waiting if (why := _refusal(settings, {name: waiting[name]}))}
        if len(refused) == len(waiting):
            return refused
        waiting = {name: waiting[name] for name in refused}


def _refusal(settings: Settings, values: Mapping[str, Any]) -> str:
    """Put the values in force together, or say why they cannot be."""
    try:
        settings.accept(settings.changed(values))
    except ConfigError as error:
        return str(error)
    return ""


def _check_names(section: str, model: type[BaseModel], values: Mapping[str, Any], path: Path) -> None:
    for key, value in values.items():
        if key not in model.model_fields:
            raise ConfigError(f"{path}: [{section}] has no setting {key}{_nearest(key, model.model_fields)}")
        inner = nested(model, key)
        if inner is not None and isinstance(value, dict):
            _check_names(f"{section}.{key}", inner, value, path)


def _section(name: str, values: Mapping[str, Any], where: str = "") -> BaseModel:
    model = SECTIONS[name]
    try:
        return model.model_validate(values, strict=True)
    except ValidationError as error:
        faults = [_complaint(name, model, fault) for fault in error.errors()]
        raise ConfigError(where + "; ".join(faults)) from error


def _by_section(values: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """`section.key` -> value as top section -> key within it -> value."""
    sections: dict[str, dict[str, Any]] = {}
    for full_name, value in values.items():
        top, _, key = full_name.partition(".")
        sections.setdefault(top, {})[key] = value
    return sections


def _with(section: BaseModel, values: Mapping[str, Any]) -> dict[str, Any]:
    """The section's content with these values by key, `inner.key` for a section below it."""
    content = section.model_dump()
    for key, value in values.items():
        *inner, leaf = key.split(".")
        place = content
        for name in inner:
            place = place[name]
        place[leaf] = value
    return content


def _value(sections: Mapping[str, BaseModel], full_name: str) -> Any:
    top, *rest = full_name.split(".")
    found: Any = sections[top]
    for key in rest:
        found = getattr(found, key)
    return found


def _leaves(prefix: str, values: Mapping[str, Any]) -> Iterator[str]:
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _leaves(f"{prefix}{key}.", value)
        else:
            yield prefix + key


def nested(model: type[BaseModel], key: str) -> type[BaseModel] | None:
    """The section below `key` when there is such a field and it is a section of its own, else None."""
    info = model.model_fields.get(key)
    kind = info.annotation if info else None
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None


def plain_fields(model: type[BaseModel]) -> list[str]:
    """The names of a section's own settings, without sections below it."""
    return [key for key in model.model_fields if nested(model, key) is None]


def all_sections() -> Iterator[tuple[str, type[BaseModel]]]:
    """Each section and the sections below it, by dotted name."""
    for name, model in SECTIONS.items():
        yield name, model
        for key in model.model_fields:
            inner = nested(model, key)
            if inner is not None:
                yield f"{name}.{key}", inner


def _complaint(section: str, model: type[BaseModel], fault: ErrorDetails) -> str:
    """One fault of a section with the name of the innermost section that it is in."""
    keys = [str(part) for part in fault["loc"]]
    whole = fault["type"] == "value_error"  # of the section, not of a key in it
    while keys and (inner := nested(model, keys[0])) and (whole or keys[1:]):
        section, model, keys = f"{section}.{keys[0]}", inner, keys[1:]
    words = fault["msg"].removeprefix("Value error, ")
    if not keys:
        return f"[{section}] {words}"
    unit = unit_of(model, keys[0])
    return f"[{section}] {'.'.join(keys)}{f' ({unit})' if unit else ''} = {fault['input']!r}: {words}"


def _nearest(name: str, known: Mapping[str, Any]) -> str:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.0)
    return f"; did you mean {near[0]}?" if near else ""


def declared(model: type[BaseModel], key: str) -> dict[str, Any]:
    """What a setting's declaration says beside its range: `unit`, `live`, `step`, `ja`."""
    info = model.model_fields.get(key)
    extra = info.json_schema_extra if info else None
    return dict(extra) if isinstance(extra, dict) else {}


def unit_of(model: type[BaseModel], key: str) -> str:
    """The unit of a setting, "" when it has none."""
    return str(declared(model, key).get("unit", ""))


def limits_of(model: type[BaseModel], key: str) -> tuple[float | None, float | None]:
    """The least and the largest value of a setting, None where it has no such limit."""
    limits = {type(item).__name__.lower(): item for item in model.model_fields[key].metadata}
    return getattr(limits.get("ge"), "ge", None), getattr(limits.get("le"), "le", None)


def range_of(model: type[BaseModel], key: str) -> str:
    """The range of a setting in words, "" when it has none."""
    low, high = limits_of(model, key)
    return "" if low is None and high is None else f"{low} to {high}"


@cache
def live_settings() -> tuple[str, ...]:
    """The `section.key` of each setting that can change while the show runs, in the order of the file."""
    return tuple(
        f"{section}.{key}"
        for section, model in all_sections()
        for key in plain_fields(model)
        if declared(model, key).get("live")
    )


def default_file() -> str:
    """A `config.toml` that says all defaults in comments."""
    lines = ["# Settings of baited. Take the # off a line that begins with #name to change it."]
    for name, model in all_sections():
        lines += ["", f"[{name}]"]
        defaults = model()
        for key in plain_fields(model):
            info = model.model_fields[key]
            facts = ", ".join(fact for fact in (unit_of(model, key), range_of(model, key)) if fact)
            lines.append(f"# {info.description}{f' ({facts})' if facts else ''}")
            lines.append(f"#{key} = {toml_value(getattr(defaults, key))}")
    return "\n".join(lines) + "\n"
