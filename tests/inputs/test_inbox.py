"""What the show is given of a device: every contact in order, of the positions the newest."""

from __future__ import annotations

from controller.inputs.camera_backoff import BackOff
from controller.inputs.inbox import MOST_CONTACTS, Contact, Inbox


def lit_inbox() -> Inbox:
    inbox = Inbox("camera", "camera_lost", 960, 540, 0.0)
    inbox.revived()
    inbox.contact(Contact(True, 1.0, 10, 20))
    return inbox


def test_starts_off_in_the_middle_and_not_alive() -> None:
    sample = Inbox("camera", "camera_lost", 960, 540, 0.0).take(7)
    assert (sample.tick, sample.x, sample.y, sample.on, sample.alive) == (7, 960, 540, False, False)
    assert sample.source == "camera"


def test_contacts_come_one_a_poll_in_order_and_positions_do_not_queue() -> None:
    inbox = lit_inbox()
    inbox.contact(Contact(False, 1.2, 11, 21, "off"))
    inbox.contact(Contact(True, 1.3, 12, 22))
    for number in range(50):
        inbox.move(1.3 + number / 100, 100 + number, 200)
    samples = [inbox.take(tick) for tick in range(4)]
    assert [sample.on for sample in samples] == [True, False, True, True]
    assert [sample.at_s for sample in samples[:3]] == [1.0, 1.2, 1.3]
    assert samples[1].reason == "off"
    assert (samples[3].x, samples[3].at_s) == (149, 1.79)


def test_position_stays_where_the_light_went_off() -> None:
    inbox = lit_inbox()
    inbox.contact(Contact(False, 1.2, 11, 21, "off"))
    inbox.take(0), inbox.take(1)
    inbox.seen(2.0)
    sample = inbox.take(2)
    assert (sample.on, sample.x, sample.y, sample.at_s, sample.reason) == (False, 11, 21, 2.0, "off")


def test_lost_camera_ends_the_light_at_its_last_picture_after_what_waits() -> None:
    inbox = lit_inbox()
    inbox.move(1.5, 30, 40)
    inbox.lost(1.5)
    first, second, third = (inbox.take(tick) for tick in range(3))
    assert (first.on, first.at_s) == (True, 1.0)
    assert (second.on, second.at_s, second.x, second.reason) == (False, 1.5, 30, "camera_lost")
    assert not second.alive
    assert (third.on, third.alive, third.reason) == (False, False, "camera_lost")
    inbox.revived()
    assert (inbox.take(4).alive, inbox.take(5).reason) == (True, "")


def test_a_device_that_answers_is_alive_whatever_the_reason_of_its_off() -> None:
    inbox = Inbox("mouse", "off", 0, 0, 0.0)
    inbox.revived()
    inbox.contact(Contact(True, 1.0, 10, 20))
    inbox.contact(Contact(False, 1.1, 10, 20, "off"))
    samples = [inbox.take(tick) for tick in range(3)]
    assert [sample.alive for sample in samples] == [True] * 3
    assert [sample.reason for sample in samples] == ["", "off", "off"]
    inbox.lost(1.2)
    assert not inbox.take(3).alive


def test_too_many_waiting_contacts_are_joined_and_counted_never_dropped_at_the_ends() -> None:
    inbox = Inbox("camera", "camera_lost", 0, 0, 0.0)
    for number in range(1000):
        inbox.contact(Contact(number % 2 == 0, float(number), 0, 0, "" if number % 2 == 0 else "off"))
    samples = [inbox.take(tick) for tick in range(MOST_CONTACTS)]
    assert samples[0].at_s == 0.0
    assert samples[-1].at_s == 999.0
    assert [sample.on for sample in samples] == [True, False] * (MOST_CONTACTS // 2)
    assert inbox.merged == (1000 - MOST_CONTACTS) // 2
    assert inbox.take(0).at_s == 0.0, "nothing waits any more"


def test_pauses_grow_to_the_longest_and_shrink_after_a_healthy_time() -> None:
    """F02: 0.5 s growing to 5 s."""
    backoff, now_s, pauses = BackOff(0.5, 5.0), 100.0, []
    for _ in range(6):
        backoff.failed(now_s)
        pauses.append(backoff.due_s - now_s)
        now_s = backoff.due_s
    assert pauses == [0.5, 1.0, 2.0, 4.0, 5.0, 5.0]
    backoff.worked(now_s), backoff.worked(now_s + 11)
    backoff.failed(now_s + 12)
    assert backoff.due_s == now_s + 12.5


def test_camera_that_comes_and_goes_is_not_trusted_at_once() -> None:
    backoff, now_s = BackOff(0.5, 5.0), 0.0
    trusted = []
    for _ in range(5):
        trusted.append(backoff.worked(now_s))
        backoff.failed(now_s + 1)
        now_s += 10
    assert trusted == [True, True, False, False, False]
    assert not backoff.worked(100)
    assert backoff.worked(111)
