"""What pages can find out about who drives the browser."""

from tests_py.support.client import Server
from tests_py.support.site import Site
from tests_py.support.traps import noticed, visit


async def test_a_whole_task_leaves_nothing_that_a_page_can_notice(server: Server, site: Site) -> None:
    notes = await visit(server, site, "a-task")
    assert noticed(notes) == {}, notes
