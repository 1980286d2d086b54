"""The calibration board: OpenCV's own detector finds every corner where the board says that it is."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from display.charuco import DICTIONARY, MARKERS, Board, NoRoomForBoard, board_for, marker_cells

SIZES = [(1280, 720), (1920, 1080), (1080, 1920), (640, 480)]
PIXEL_MIDDLE = 0.5


def opencv_board(board: Board) -> cv2.aruco.CharucoBoard:
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, DICTIONARY))
    return cv2.aruco.CharucoBoard((board.columns, board.rows), board.square_px, board.marker_px, dictionary)


def found_corners(board: Board, image: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ids and places (picture px) of the corners that OpenCV finds."""
    corners, ids, _, _ = cv2.aruco.CharucoDetector(opencv_board(board)).detectBoard(image)
    assert ids is not None
    return ids.ravel(), corners.reshape(-1, 2) + PIXEL_MIDDLE


def test_the_markers_are_those_of_the_dictionary() -> None:
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, DICTIONARY))
    assert len(dictionary.bytesList) == len(MARKERS) == 50
    for marker in range(len(MARKERS)):
        theirs = cv2.aruco.generateImageMarker(dictionary, marker, 6)
        assert np.array_equal(marker_cells(marker), theirs), marker


@pytest.mark.parametrize("size_px", SIZES)
def test_all_corners_are_found_where_they_are_said_to_be(size_px: tuple[int, int]) -> None:
    board = board_for(size_px)
    image = board.image()
    assert image.shape == size_px[::-1]
    ids, places = found_corners(board, image)
    assert list(ids) == list(board.corner_ids)
    assert np.abs(places - board.corners_px()).max() < 0.1


@pytest.mark.parametrize("size_px", SIZES)
def test_all_corners_are_found_askew_and_out_of_focus(size_px: tuple[int, int]) -> None:
    board = board_for(size_px)
    width, height = size_px
    square = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    seen = square * [0.78, 0.8] + np.array([[40, 30], [20, 12], [0, 40], [50, 20]])
    warp = cv2.getPerspectiveTransform(square, seen.astype(np.float32))
    shift = np.array([[1, 0, PIXEL_MIDDLE], [0, 1, PIXEL_MIDDLE], [0, 0, 1]])
    photo = cv2.warpPerspective(
        board.image(), np.linalg.inv(shift) @ warp @ shift, size_px, flags=cv2.INTER_AREA
    )
    noise = np.random.default_rng(1).normal(20, 4, photo.shape)
    photo = np.clip(cv2.GaussianBlur(photo, (0, 0), 1.0) * 0.7 + noise, 0, 255).astype(np.uint8)
    ids, places = found_corners(board, photo)
    assert list(ids) == list(board.corner_ids)
    truth = cv2.perspectiveTransform(board.corners_px()[None], warp)[0]
    assert np.abs(places - truth).max() < 0.5


@pytest.mark.parametrize("legacy", [False, True])
@pytest.mark.parametrize("size_px", [*SIZES, (3840, 2160), (100, 100), (28, 28)])
def test_the_board_is_opencvs_in_both_of_its_conventions(size_px: tuple[int, int], legacy: bool) -> None:
    board = board_for(size_px)
    theirs = opencv_board(board)
    theirs.setLegacyPattern(legacy)
    width, height = board.columns * board.square_px, board.rows * board.square_px
    inside = board.image()[board.top_px : board.top_px + height, board.left_px : board.left_px + width]
    assert np.array_equal(inside, theirs.generateImage((width, height), marginSize=0, borderBits=1))
    assert np.array_equal(theirs.getIds(), board.marker_ids)
    assert np.array_equal(
        theirs.getChessboardCorners()[:, :2], board.corners_px() - (board.left_px, board.top_px)
    )


@pytest.mark.parametrize(
    "size_px", [*SIZES, (1024, 768), (1920, 1200), (2560, 1080), (3840, 2160), (1200, 1920)]
)
def test_the_board_fills_the_screen_with_a_white_border_round_it(size_px: tuple[int, int]) -> None:
    board = board_for(size_px)
    image = board.image()
    corners = board.corners_px()
    spread = (corners.max(axis=0) - corners.min(axis=0)) / size_px
    assert spread.min() > 0.6
    assert len(corners) >= 40
    assert board.cell_px >= 5
    quiet = 2 * board.cell_px
    top, left = board.top_px, board.left_px
    bottom, right = top + board.rows * board.square_px, left + board.columns * board.square_px
    image[top:bottom, left:right] = 255
    assert image[top - quiet : bottom + quiet, left - quiet : right + quiet].min() == 255
    image[top - quiet : bottom + quiet, left - quiet : right + quiet] = 0
    assert image.max() == 0


def test_a_picture_too_small_is_said_to_be_so() -> None:
    with pytest.raises(NoRoomForBoard, match="27 x 400 px"):
        board_for((27, 400))
