"""The technician's keys: the one table that handling, help (F1) and README follow."""

from __future__ import annotations

from display.panel import PANEL_KEYS, Key

BIG_MOVE_PX = 10

GENERAL_KEYS = (
    Key(("d",), "D", "toggle_panel", 0, {"en": "panel with settings", "ja": "設定の表示"}),
    Key(("f1",), "F1", "toggle_help", 0, {"en": "this list of keys", "ja": "操作の案内"}),
    Key(("t",), "T", "turn_pattern", 1, {"en": "next test pattern", "ja": "次の試験画像"}),
    Key(("shift+t",), "Shift T", "turn_pattern", -1, {"en": "test pattern before", "ja": "前の試験画像"}),
    Key(("c",), "C", "toggle_corners", 0, {"en": "move the corners of the picture", "ja": "画面の角の調整"}),
    Key(("b",), "B", "toggle_blackout", 0, {"en": "black picture, and back", "ja": "画面を黒くする・戻す"}),
    Key(
        ("escape",),
        "Esc",
        "close",
        0,
        {"en": "close what is open, back to the show", "ja": "閉じて作品に戻る"},
    ),
    Key(("ctrl+q",), "Ctrl Q", "", 0, {"en": "end the show", "ja": "作品の終了"}),
)
CORNER_KEYS = (
    Key(("tab",), "Tab", "turn_corner", 1, {"en": "corners: next one", "ja": "角：次の角"}),
    Key(
        ("shift+tab",),
        "Shift Tab",
        "turn_corner",
        -1,
        {"en": "corners: the one before", "ja": "角：前の角"},
    ),
    Key(
        ("left", "right", "up", "down"),
        "← → ↑ ↓",
        "move_corner",
        1,
        {"en": "corners: move it 1 px", "ja": "角：1 px 動かす"},
    ),
    Key(
        ("shift+left", "shift+right", "shift+up", "shift+down"),
        "Shift ← → ↑ ↓",
        "move_corner",
        BIG_MOVE_PX,
        {"en": f"corners: move it {BIG_MOVE_PX} px", "ja": f"角：{BIG_MOVE_PX} px 動かす"},
    ),
    Key(
        ("r",),
        "R",
        "reset_corner",
        0,
        {"en": "corners: this one as configured", "ja": "角：この角を元に戻す"},
    ),
    Key(
        ("shift+r",),
        "Shift R",
        "reset_corners",
        0,
        {"en": "corners: all as configured", "ja": "角：全部を元に戻す"},
    ),
)
ALL_KEYS = (*GENERAL_KEYS, *PANEL_KEYS, *CORNER_KEYS)


def named(keys: tuple[Key, ...]) -> dict[str, Key]:
    """Keys by the names that the canvas gives them."""
    return {name: key for key in keys for name in key.names}
