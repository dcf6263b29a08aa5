"""Scrolling: by some, to an end, in a part of the page; with what came into view."""

import pytest

from tests_py.support.site import Site
from tests_py.support.workshop import Workshop

LONG = "".join(f"<p><button>Row {number}</button></p>" for number in range(100))
STYLE = "<style>body { margin: 0 } p { height: 40px; margin: 0 } #bar { position: fixed; top: 0 }</style>"
ENDLESS = """<div id=feed></div><script>
let made = 0;
const post = () => feed.insertAdjacentHTML("beforeend", `<p style="height: 60px">Post ${made++}</p>`);
const more = () => { for (let i = 0; i < 20; i++) post(); };
more();
onscroll = async () => {
  if (made < LIMIT && innerHeight + scrollY >= document.documentElement.scrollHeight - 5) {
    await fetch("/more");
    more();
  }
};
</script>"""


async def place(workshop: Workshop) -> float:
    return float(await workshop.server.evaluate("() => scrollY"))


async def test_a_page_is_scrolled_by_screenfuls_and_tells_what_came_into_view(
    either_workshop: Workshop, site: Site
) -> None:
    await either_workshop.open(site.publish("/long", f"{STYLE}<button id=bar>Bar</button>{LONG}"))
    height = float(await either_workshop.server.evaluate("() => innerHeight"))
    answer = await either_workshop.do("browser_scroll")
    assert abs(await place(either_workshop) - height * 0.9) < 2
    came = answer.section("Came into view")
    first_unseen, last_seen = int(height // 40) + 1, int((height * 1.9) // 40) - 1
    assert f'button "Row {first_unseen}" [ref=' in came
    assert f'"Row {last_seen}"' in came
    assert '"Row 3"' not in came
    assert '"Row 99"' not in came
    assert "Bar" not in came
    assert "px, to" in answer.section("Result")
    back = await either_workshop.do("browser_scroll", direction="up", pixels=400)
    assert "up by 400 px" in back.section("Result")
    assert abs(await place(either_workshop) - (height * 0.9 - 400)) < 2


async def test_refs_of_what_came_into_view_can_be_clicked(workshop: Workshop, site: Site) -> None:
    tell = "onclick = (e) => document.querySelector('output').textContent = e.target.textContent"
    page = f"{STYLE}{LONG}<output></output><script>{tell}</script>"
    await workshop.open(site.publish("/long", page))
    answer = await workshop.do("browser_scroll", pages=2)
    await workshop.server.click(answer.ref('"Row 40"'))
    assert await workshop.output() == "Row 40"


async def test_the_end_is_reported_and_beyond_it_nothing_moves(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.publish("/long", STYLE + LONG))
    answer = await workshop.do("browser_scroll", toEnd=True)
    assert "the end" in answer.section("Result")
    assert '"Row 99"' in answer.section("Came into view")
    assert "Nothing moved" in (await workshop.do("browser_scroll")).section("Result")
    up = await workshop.do("browser_scroll", direction="up", toEnd=True)
    assert "the beginning" in up.section("Result")
    assert await place(workshop) == 0


async def test_a_part_is_scrolled_by_something_in_it_and_the_page_stays(
    workshop: Workshop, site: Site
) -> None:
    part = f"<div style='height: 300px; overflow: auto; border: 1px solid' id=part>{LONG}</div>"
    page = await workshop.open(
        site.publish("/part", f"{STYLE}<h1>Title</h1>{part}<div style='height: 3000px'>")
    )
    answer = await workshop.do("browser_scroll", ref=page.ref('button "Row 2"'), pixels=400)
    assert "a part of the page down by 400 px" in answer.section("Result")
    assert '"Row 15"' in answer.section("Came into view")
    assert await place(workshop) == 0
    await workshop.do("browser_scroll", ref="#part", toEnd=True)
    assert (
        await workshop.server.evaluate("() => part.scrollTop + part.clientHeight >= part.scrollHeight - 1")
    ) == "true"


async def test_of_an_application_that_stands_still_its_largest_part_scrolls(
    workshop: Workshop, site: Site
) -> None:
    bar = f"<nav style='width: 100px; overflow: auto'>{LONG}</nav>"
    main = f"<main style='flex: 1; overflow: auto'>{LONG}</main>"
    app = f"{STYLE}<div style='height: 100vh; display: flex; overflow: hidden'>{bar}{main}</div>"
    await workshop.open(site.publish("/app", app))
    await workshop.do("browser_scroll", pixels=500)
    assert await workshop.server.evaluate("() => document.querySelector('main').scrollTop") == "500"
    assert await workshop.server.evaluate("() => document.querySelector('nav').scrollTop") == "0"


async def test_sideways_and_in_a_frame(workshop: Workshop, site: Site) -> None:
    inner = site.publish("/inner", f"{STYLE}<div style='width: 5000px'>{LONG}</div>").replace(
        site.origin, site.other_origin
    )
    await workshop.open(
        site.publish("/outer", f"<h1>Outside</h1><iframe width=400 height=300 src='{inner}'></iframe>")
    )
    page = await workshop.server.snapshot()
    row = page.ref('button "Row 1"')
    answer = await workshop.do("browser_scroll", ref=row, pixels=600)
    assert '"Row 20"' in answer.section("Came into view")
    await workshop.do("browser_scroll", ref=row, direction="right", pixels=700)
    read = await workshop.do("browser_evaluate", ref=row, function="(element) => [scrollX, scrollY].join()")
    assert read.section("Result") == "700,600"


@pytest.mark.long
async def test_an_endless_list_is_followed_to_its_end(workshop: Workshop, site: Site) -> None:
    site.publish("/more", "more")
    await workshop.open(site.publish("/feed", STYLE + ENDLESS.replace("LIMIT", "200")))
    answer = await workshop.do("browser_scroll", toEnd=True)
    assert "and no more" in answer.section("Result")
    assert await workshop.server.evaluate("() => made") == "200"
    assert "Post 199" in answer.text


@pytest.mark.long
async def test_a_list_without_an_end_is_bounded(workshop: Workshop, site: Site) -> None:
    site.publish("/more", "more")
    await workshop.open(site.publish("/feed", STYLE + ENDLESS.replace("LIMIT", "Infinity")))
    answer = await workshop.do("browser_scroll", toEnd=True)
    assert "scroll again for more" in answer.section("Result")
    assert int(await workshop.server.evaluate("() => made")) >= 500


async def test_what_stops_the_wheel_is_scrolled_all_the_same(workshop: Workshop, site: Site) -> None:
    stop = "<script>addEventListener('wheel', (event) => event.preventDefault(), { passive: false })</script>"
    await workshop.open(site.publish("/stop", STYLE + LONG + stop))
    await workshop.do("browser_scroll", pixels=800)
    assert await place(workshop) == 800


async def test_the_page_hears_a_wheel(workshop: Workshop, site: Site) -> None:
    ear = "addEventListener('wheel', (event) => { turned += event.isTrusted ? event.deltaY : NaN })"
    await workshop.open(site.publish("/ear", f"{STYLE}{LONG}<script>let turned = 0; {ear}</script>"))
    await workshop.do("browser_scroll", pixels=600)
    assert await workshop.server.evaluate("() => turned") == "600"


async def test_what_does_not_scroll_is_an_error(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.publish("/short", "<p>Short</p>"))
    assert "nothing on it scrolls up or down" in await workshop.refused("browser_scroll")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"pages": 0}, "`pages` must be at least 0.1"),
        ({"pages": -1}, "`pages` must be at least 0.1"),
        ({"pixels": -5}, "`pixels` must be at least 1"),
        ({"pixels": "NaN"}, "`pixels` must be a number"),
        ({"direction": "sideways"}, "`direction` must be one of down, up, left, right"),
        ({"pages": 1, "pixels": 5}, "Give one of"),
    ],
)
async def test_nonsense_is_refused_by_name(
    workshop: Workshop, arguments: dict[str, object], problem: str
) -> None:
    assert problem in await workshop.refused("browser_scroll", **arguments)
