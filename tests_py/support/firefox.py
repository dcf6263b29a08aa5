"""What of the tests of the tools Firefox does not pass, and why: by its protocol, or by its own ways."""

from __future__ import annotations

from typing import NamedTuple


class Lack(NamedTuple):
    """What keeps a test from passing."""

    reason: str
    only: tuple[str, ...] = ()
    """Parts of the names of parameters for which it holds; for all without any."""
    is_harmful: bool = False
    """Whether the test cannot even be tried, or would wait to its end for what cannot come."""
    is_sure: bool = True
    """Whether it passes nowhere: not only where the machine is slow."""


NO_PARTS = "the parts of a date field are not told, nor their order: a date is set and not typed"
NO_DROP = "a drag of the browser's own is begun and never ended: a drop is refused"
NO_MONTHS = "Firefox has no fields for months: such a field is one for any text"
NO_REASONS = "a request that fails by our will fails without a reason that could be named"
NO_WORKERS = "what a shared worker asks for is not told"
NO_EDIT_CONTEXT = "Firefox has no EditContext"
NO_DIALOG_THEN = "Firefox opens no dialog of a page whose next document arrives: that one is shown"
OWN_DIALOGS = "a dialog in a window stops that window in Firefox, and not the one that has opened it"
NO_DEPTH = "Firefox draws nothing of what is 3,000 deep"
SLOW_FRAMES = (
    "Firefox itself takes 8 to 10 s to begin a page that includes itself, 3 to 5 s for a script in it and "
    "4 to 19 s to leave it: with a client that does nothing else, on two busy cores (153.7.0)"
)
ENDED_SCRIPTS = (
    "Firefox itself ends a script after 15 s, on a busy machine before the page is taken for one that hangs: "
    "what comes then is right, but not what the test asks for"
)
SLOW_TABS = "on a busy machine sessions end before Firefox has opened as many tabs"
CUT_OFF = "a document that replaces itself while it arrives is cut off there: scripts cannot be switched off"
NO_LISTENERS = "which nodes have listeners is not told: what is clickable by a listener alone has no ref"
NO_DEVICES = "no page can be laid out as on a telephone"
NO_MEASURES = "Firefox tells of no layout shifts and of no tasks that take long"
NO_DEVTOOLS = "which rules hold for an element and which code ran is told by the DevTools protocol only"
NO_TASTES = "no page can be shown another medium, other colours or a slower processor"
NO_PAGES_SET_ASIDE = "no page is taken out of memory: its protocol cannot have Firefox unload a tab"
NO_EXTENSIONS = "extensions are loaded by a switch of Chromium's"
BY_SCRIPT = (
    "a list opens outside of the page, where its keys are not heard, and the parts of a date are not told: "
    "both are set by script"
)
NO_DROP_FROM_OUTSIDE = "nothing can be dropped from outside of the page"
NO_ARCHIVE = "a page cannot be saved whole as one file"
NO_WORKER_NAMES = "what a worker logs is told as the page's own"
NO_SOURCES = "what a script's text is, and the map that it names, is told by the DevTools protocol only"
OPEN_NAMES = (
    "open: a download whose name takes 250 bytes in a script of three bytes and more is told as cancelled; "
    "with a bare client Firefox saves it"
)
NO_BLOCKED_PORTS = "nothing is told of a request to a port that Firefox never asks"
NO_DOWNLOAD = "only Chromium can be downloaded; Firefox comes with the packages of the system"
NO_PIPE = "Firefox is spoken to over a port of the loopback device, not over a pipe"
OWN_CLICKS = "Firefox clicks what was taken out and put in again between the press and the release"
OWN_COOKIES = "a cookie that names SameSite=None without Secure is kept as one that names nothing"
OWN_RELOADS = "a plain reload of Firefox's has no header of its own"
OWN_ERRORS = "Firefox tells the text of an error that nobody caught in any case"
NO_INTERACTIVITY = "Firefox does not know the CSS property `interactivity`"
LOST_RECEIPTS = (
    "on a busy machine, Firefox can replace a document before it sends the receipt of a click there: "
    "the click is then reported as lost although it arrived"
)
NO_LIMIT = "a page cannot be given a limit of memory: it would take all that the machine has"

LACKING: dict[str, Lack] = {
    "tests_py/doors/test_doors.py::test_a_click_that_arrives_before_the_page_leaves_is_done": Lack(
        LOST_RECEIPTS, is_sure=False
    ),
    "test_reach.py::test_a_press_that_nothing_can_free_is_refused_at_once_with_its_reason": Lack(
        NO_INTERACTIVITY, ("interactivity",)
    ),
    "test_form.py::test_each_kind_of_field_is_typed_into_as_by_a_person": Lack(
        NO_PARTS, ("Date-date-2024-03-07", "Time-time-14:30")
    ),
    "test_controls.py::test_dates_times_and_colours_are_taken_as_people_write_them": Lack(
        NO_MONTHS, ("Month-",)
    ),
    "test_drag.py::test_an_item_goes_where_it_was_dragged_and_the_answer_says_where": Lack(
        NO_DROP, ("-swapping", "-edges")
    ),
    "test_pointer.py::test_a_drag_carries_what_the_page_gives_it": Lack(NO_DROP),
    "test_stuck.py::test_a_page_that_is_nested_deeply_is_seen": Lack(NO_DEPTH, ("3000",)),
    "test_stuck.py::test_a_page_that_replaces_itself_without_end_is_seen": Lack(CUT_OFF, ("by one another",)),
    "test_stuck.py::test_every_call_on_a_page_that_is_stuck_says_so": Lack(
        ENDED_SCRIPTS, ("browser_evaluate",), is_sure=False
    ),
    "test_stuck.py::test_a_page_that_hangs_where_it_is_opened_is_reported_and_left": Lack(
        ENDED_SCRIPTS, is_sure=False
    ),
    "test_stuck.py::test_one_can_go_back_from_a_page_that_hangs_once_it_is_loaded": Lack(
        ENDED_SCRIPTS, is_sure=False
    ),
    "tests_py/sessions/test_sessions.py::test_many_sessions_leave_nothing": Lack(SLOW_TABS, is_sure=False),
    "test_stuck.py::test_a_page_that_includes_itself_without_end_is_answered_and_left": Lack(
        SLOW_FRAMES, is_sure=False
    ),
    "test_stuck.py::test_a_page_that_eats_memory_until_it_dies_holds_nothing_up": Lack(
        NO_LIMIT, is_harmful=True
    ),
    "test_settled.py::TestWhatComesAndGoes::test_the_script_of_a_worker_is_not_waited_for_once_it_runs": Lack(
        NO_WORKERS, ("SharedWorker",)
    ),
    "test_dialogs.py::test_a_dialog_that_opens_while_the_next_document_takes_over_does_not_keep_it_out": Lack(
        NO_DIALOG_THEN
    ),
    "test_dialogs.py::test_a_dialog_in_a_window_the_page_opened_is_reported_where_the_page_waits_for_it": (
        Lack(OWN_DIALOGS)
    ),
    "test_network.py::test_domains_of_a_list_are_blocked": Lack(NO_REASONS),
    "test_redrawn.py::test_a_press_on_what_is_raised_when_pointed_at_is_not_reported_as_a_click": Lack(
        OWN_CLICKS
    ),
    "test_redrawn.py::test_the_items_of_a_list_that_hears_presses_have_refs": Lack(NO_LISTENERS),
    "test_devices.py::test_a_page_of_another_size_still_looks_like_the_device": Lack(NO_DEVICES),
    "test_devtools.py::test_how_fast_a_page_came_is_rated": Lack(NO_MEASURES),
    "test_devtools.py::test_the_rules_of_an_element_are_reported_strongest_first": Lack(NO_DEVTOOLS),
    "test_devtools.py::test_code_that_nobody_uses_and_work_that_takes_long_is_found": Lack(NO_DEVTOOLS),
    "test_drop.py::test_files_and_texts_are_dropped": Lack(NO_DROP_FROM_OUTSIDE),
    "test_evidence.py::test_a_tab_is_filmed_and_a_page_is_saved_whole": Lack(NO_ARCHIVE),
    "test_history.py::test_a_fresh_load_passes_the_caches": Lack(OWN_RELOADS),
    "test_inspection.py::test_where_the_browser_keeps_that_text_to_itself_the_answer_says_what_to_do": Lack(
        OWN_ERRORS
    ),
    "test_inspection.py::test_requests_are_listed_with_what_came_of_them": Lack(NO_BLOCKED_PORTS),
    "test_inspection.py::test_what_workers_log_is_reported_with_their_names": Lack(NO_WORKER_NAMES),
    "test_inspection.py::test_stacks_are_reported_in_the_sources": Lack(NO_SOURCES),
    "test_files.py::test_a_download_with_a_long_name_in_any_script_is_saved": Lack(
        OPEN_NAMES, ("name1", "U0001f642"), is_sure=False
    ),
    "test_install.py::test_where_none_is_chromium_is_downloaded_and_used": Lack(NO_DOWNLOAD),
    "test_install.py::test_what_cannot_be_installed_leaves_nothing": Lack(NO_DOWNLOAD),
    "test_install.py::test_a_download_tells_how_far_it_is_and_leaves_nothing_when_it_is_cut_short": Lack(
        NO_DOWNLOAD, is_harmful=True
    ),
    "test_install.py::test_what_a_killed_download_left_is_cleared_by_the_next": Lack(
        NO_DOWNLOAD, is_harmful=True
    ),
    "test_wire.py::test_a_browser_that_is_launched_opens_no_port": Lack(NO_PIPE),
    "test_storage_tools.py::test_cookies_that_the_browser_does_not_take_are_reported": Lack(OWN_COOKIES),
    "test_quiet.py::test_a_task_with_every_tool_leaves_nothing_that_a_page_can_notice": Lack(BY_SCRIPT),
    "test_quiet.py::test_a_page_that_listens_to_no_hand_sees_what_an_input_method_and_a_mouse_lead_to": Lack(
        BY_SCRIPT
    ),
    "test_quiet.py::test_nor_do_programs_assertions_recording_pictures_and_what_developers_ask": Lack(
        NO_ARCHIVE
    ),
    "test_run.py::test_extensions_are_there_for_programs": Lack(NO_EXTENSIONS),
    "test_storage_tools.py::test_another_look_place_and_network_are_pretended_and_taken_back": Lack(
        NO_TASTES
    ),
    "test_storage_tools.py::test_another_device_language_and_zone_are_pretended_and_taken_back": Lack(
        NO_DEVICES
    ),
    "test_vision.py::test_a_drag_by_coordinates_carries_what_the_page_gives_it": Lack(NO_DROP),
    "tests_py/sessions/test_live_pages.py::test_the_page_unused_for_longest_goes_and_comes_back_as_it_was": (
        Lack(NO_PAGES_SET_ASIDE)
    ),
    "tests_py/sessions/test_live_pages.py::test_a_page_stays_from_which_something_would_be_lost": Lack(
        NO_PAGES_SET_ASIDE
    ),
    "tests_py/sessions/test_live_pages.py::test_a_page_stays_as_long_as_it_is_filmed": Lack(
        NO_PAGES_SET_ASIDE
    ),
    "tests_py/sessions/test_live_pages.py::test_many_sessions_share_few_pages_in_memory": Lack(
        NO_PAGES_SET_ASIDE
    ),
    "test_ui_kits.py::test_an_editor_whose_field_shows_nothing_is_read_and_written_by_its_lines": Lack(
        NO_EDIT_CONTEXT
    ),
}
"""Tests of `tests_py/mcp`, and of folders that are named, and what Firefox lacks for them."""


def lack(test: str) -> Lack | None:
    """Why a test cannot pass on Firefox, if it cannot."""
    name, _, parameters = test.removeprefix("tests_py/mcp/").partition("[")
    found = LACKING.get(name)
    if found and found.only and not any(part in parameters for part in found.only):
        return None
    return found
