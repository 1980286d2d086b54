"""All settings: the folders' sections, one hand-written `config.toml`, where each value is from."""

from __future__ import annotations

import difflib
import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from controller.inputs.camera_settings import CameraSettings
from controller.inputs.settings import DemoSettings
from controller.scenes.baited.settings import BaitedSettings
from display.settings import DisplaySettings
from logs.settings import LogSettings

FILE = "config.toml"
DATABASE = "visits.db"
CAMERA_PROFILE = Path("calibration", "camera.json")


class ConfigError(ValueError):
    """A setting that does not exist or whose value cannot be: to be mended in the file by hand."""


class ShowSettings(BaseModel):
    """The show as a whole."""

    model_config = ConfigDict(extra="forbid", validate_assignment=True)

    scene: Literal["baited"] = Field("baited", description="The scene that is shown.")
    source: Literal["auto", "mouse", "demo", "camera"] = Field(
        "auto", description="The light; auto: a calibrated camera, else the mouse, without a window demo."
    )


SECTIONS: dict[str, type[BaseModel]] = {
    "show": ShowSettings,
    "display": DisplaySettings,
    "log": LogSettings,
    "camera": CameraSettings,
    "demo": DemoSettings,
    "baited": BaitedSettings,
}


@dataclass
class Settings:
    """The settings in force. `origins` tells "file" or "default" for each `section.key`."""

    sections: dict[str, BaseModel]
    origins: dict[str, str]
    path: Path
    warnings: list[str] = field(default_factory=list)

    def as_json(self) -> str:
        """All values in force, for the log's run row."""
        return json.dumps({name: section.model_dump(mode="json") for name, section in self.sections.items()})

    def __getitem__(self, section: str) -> Any:
        """The section of that dotted name."""
        first, *rest = section.split(".")
        found: Any = self.sections[first]
        for key in rest:
            found = getattr(found, key)
        return found


def load(home: Path) -> Settings:
    """Read `config.toml` in `home`.

    A missing file means defaults. One that cannot be read is left as it is and the defaults
    are used, with a warning. Raises ConfigError for an unknown name or a value out of range.
    """
    path = home / FILE
    try:
        values = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        return _compose({}, path)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
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
    sections = {name: _section(name, values.get(name, {}), path) for name in SECTIONS}
    given = set(_leaves("", values))
    origins = {
        f"{section}.{key}": "file" if f"{section}.{key}" in given else "default"
        for section, model in all_sections()
        for key in plain_fields(model)
    }
    return Settings(sections, origins, path)


def _check_names(section: str, model: type[BaseModel], values: Mapping[str, Any], path: Path) -> None:
    for key, value in values.items():
        if key not in model.model_fields:
            raise ConfigError(f"{path}: [{section}] has no setting {key}{_nearest(key, model.model_fields)}")
        inner = nested(model, key)
        if inner is not None and isinstance(value, dict):
            _check_names(f"{section}.{key}", inner, value, path)


def _section(name: str, values: Mapping[str, Any], path: Path) -> BaseModel:
    model = SECTIONS[name]
    try:
        return model.model_validate(values, strict=True)
    except ValidationError as error:
        raise ConfigError(f"{path}: [{name}] " + "; ".join(_complaints(model, error))) from error


def _leaves(prefix: str, values: Mapping[str, Any]) -> Iterator[str]:
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _leaves(f"{prefix}{key}.", value)
        else:
            yield prefix + key


def nested(model: type[BaseModel], key: str) -> type[BaseModel] | None:
    """The section below `key` when that field is a section of its own, else None."""
    kind = model.model_fields[key].annotation
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


def _complaints(model: type[BaseModel], error: ValidationError) -> list[str]:
    found = []
    for fault in error.errors():
        key = ".".join(str(part) for part in fault["loc"])
        if not key:
            found.append(fault["msg"])
            continue
        owner, leaf = model, key
        if "." in key and (inner := nested(model, key.split(".")[0])) is not None:
            owner, leaf = inner, key.split(".")[1]
        unit = unit_of(owner, leaf)
        found.append(f"{key}{f' ({unit})' if unit else ''} = {fault['input']!r}: {fault['msg']}")
    return found


def _nearest(name: str, known: Mapping[str, Any]) -> str:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.0)
    return f"; did you mean {near[0]}?" if near else ""


def unit_of(model: type[BaseModel], key: str) -> str:
    """The unit of a setting, "" when it has none."""
    info = model.model_fields.get(key)
    extra = info.json_schema_extra if info else None
    return str(extra.get("unit", "")) if isinstance(extra, dict) else ""


def range_of(model: type[BaseModel], key: str) -> str:
    """The range of a setting in words, "" when it has none."""
    limits = {type(item).__name__.lower(): item for item in model.model_fields[key].metadata}
    low = getattr(limits.get("ge"), "ge", None)
    high = getattr(limits.get("le"), "le", None)
    return "" if low is None and high is None else f"{low} to {high}"


def toml_value(value: Any) -> str:
    """A setting's value as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


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
