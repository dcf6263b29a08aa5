"""What of the tests of the tools Firefox does not pass, and why: by its protocol, or by its own ways."""

from __future__ import annotations

from typing import NamedTuple


class Lack(NamedTuple):
    """What keeps a test from passing."""

    reason: str
    only: tuple[str, ...] = ()
    """Parts of the names of parameters for which it holds; for all without any."""
    is_harmful: bool = False
    """Whether the test cannot even be tried."""


SPINNING = ("in a timer", "in microtasks", "again and again", "in printing")
NO_PARTS = "the parts of a date field are not told, nor their order: a date is set and not typed"
NO_DROP = "a drag of the browser's own is begun and never ended: a drop is refused"
NO_STOP = "a script that runs without end cannot be ended: the page answers again when the script does"
NO_MONTHS = "Firefox has no fields for months: such a field is one for any text"
NO_REASONS = "a request that fails by our will fails without a reason that could be named"
NO_WORKERS = "what a shared worker asks for is not told"
NO_EDIT_CONTEXT = "Firefox has no EditContext"
NO_DIALOG_THEN = "Firefox opens no dialog of a page whose next document arrives: that one is shown"
OWN_DIALOGS = "a dialog in a window stops that window in Firefox, and not the one that has opened it"
NO_DEPTH = "Firefox draws nothing of what is nested so deeply"
NO_LIMIT = "a page cannot be given a limit of memory: it would take all that the machine has"

LACKING: dict[str, Lack] = {
    "test_form.py::test_each_kind_of_field_is_typed_into_as_by_a_person": Lack(
        NO_PARTS, ("Date-date-2024-03-07", "Time-time-14:30")
    ),
    "test_controls.py::test_dates_times_and_colours_are_taken_as_people_write_them": Lack(
        NO_MONTHS, ("Month-",)
    ),
    "test_drag.py::test_an_item_goes_where_it_was_dragged_and_the_answer_says_where": Lack(
        NO_DROP, ("-swapping", "-edges")
    ),
    "test_stuck.py::test_a_page_that_is_stuck_can_be_left": Lack(NO_STOP, SPINNING),
    "test_stuck.py::test_one_can_go_back_from_a_page_that_is_stuck": Lack(NO_STOP, SPINNING),
    "test_stuck.py::test_a_page_that_is_stuck_while_it_is_left_is_left": Lack(NO_STOP),
    "test_stuck.py::test_a_page_that_hangs_where_it_is_opened_is_told_and_left": Lack(NO_STOP),
    "test_stuck.py::test_one_can_go_back_from_a_page_that_hangs_once_it_is_loaded": Lack(NO_STOP),
    "test_stuck.py::test_a_page_that_replaces_itself_without_end_is_seen": Lack(NO_STOP),
    "test_stuck.py::test_a_page_that_includes_itself_without_end_is_answered_and_left": Lack(NO_STOP),
    "test_stuck.py::test_a_script_of_the_callers_that_never_ends_is_ended_and_the_page_works_on": Lack(
        NO_STOP
    ),
    "test_stuck.py::test_a_page_that_is_nested_deeply_is_seen": Lack(NO_DEPTH),
    "test_stuck.py::test_a_page_that_eats_memory_until_it_dies_holds_nothing_up": Lack(
        NO_LIMIT, is_harmful=True
    ),
    "test_rest.py::TestWhatComesAndGoes::test_the_script_of_a_worker_is_not_waited_for_once_it_runs": Lack(
        NO_WORKERS, ("SharedWorker",)
    ),
    "test_dialogs.py::test_a_dialog_that_opens_while_the_next_document_takes_over_does_not_keep_it_out": Lack(
        NO_DIALOG_THEN
    ),
    "test_dialogs.py::test_a_dialog_in_a_window_that_the_page_opened_is_told_where_the_page_waits_for_it": (
        Lack(OWN_DIALOGS)
    ),
    "test_network.py::test_domains_of_a_list_are_blocked": Lack(NO_REASONS),
    "test_widgets.py::test_an_editor_whose_field_shows_nothing_is_read_and_written_by_its_lines": Lack(
        NO_EDIT_CONTEXT
    ),
}
"""Tests of `tests_py/mcp`, and what Firefox lacks for them."""


def lack(test: str) -> Lack | None:
    """Why a test cannot pass on Firefox, if it cannot."""
    name, _, parameters = test.removeprefix("tests_py/mcp/").partition("[")
    found = LACKING.get(name)
    if found and found.only and not any(part in parameters for part in found.only):
        return None
    return found
