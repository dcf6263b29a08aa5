"""Five kinds of page, as models meet them: what counts there is how much there is to read."""

from __future__ import annotations

from tests_py.support.site import document

SAY = "const say = (text) => { document.querySelector('output').textContent = text; };"
CLICK = f"<output></output><script>{SAY}</script>"


def article() -> str:
    """News: navigation, a long text, and links beside it."""
    words = "The council met on Tuesday and spoke at length of bridges, budgets and the weather to come. "
    links = "".join(f'<li><a href="#{number}">Headline number {number}</a></li>' for number in range(40))
    text = "".join(f"<p>{words * 4}</p>" for _ in range(30))
    return document(
        "News", f"<nav><ul>{links}</ul></nav><article><h1>Bridges</h1>{text}</article>{_button()}"
    )


def shop() -> str:
    """A grid of sixty products, each with a price and two buttons."""
    cards = "".join(
        f'<div class="card"><a href="#{number}"><img alt="Lamp {number}" src="data:,"><h3>Lamp {number}</h3>'
        f"</a><span>{number}.99 €</span><button>Add to basket</button><button>Remember</button></div>"
        for number in range(60)
    )
    return document("Shop", f"<h1>Lamps</h1><main>{cards}</main>{_button()}")


def form() -> str:
    """Forty fields of all kinds."""
    fields = "".join(
        f"<p><label>Field {number} <input></label><label>Agree {number} <input type=checkbox></label>"
        f"<label>Choice {number} <select><option>One<option>Two<option>Three</select></label></p>"
        for number in range(13)
    )
    return document("Form", f"<form><h1>Application</h1>{fields}</form>{_button()}")


def table() -> str:
    """A thousand rows of six cells, one of them a link."""
    rows = "".join(
        f'<tr><td>{number}</td><td><a href="#{number}">Order {number}</a></td><td>Ada Lovelace</td>'
        "<td>2026-11-22</td><td>paid</td><td>12.50</td></tr>"
        for number in range(1000)
    )
    return document("Table", f"<table><caption>Orders</caption>{rows}</table>{_button()}")


def application() -> str:
    """A mail program made by its script: nested boxes, icons, handlers."""
    script = (
        "for (let i = 0; i < 80; i++) { const row = document.createElement('div'); row.className = 'row';"
        " row.innerHTML = `<div><div><span role=checkbox tabindex=0 aria-label='Choose ${i}'></span></div>"
        "<div><div><b>Sender ${i}</b></div><div><span>Subject of message ${i}</span></div></div>"
        "<div><svg width=16 height=16></svg><button aria-label='Archive ${i}'>x</button></div></div>`;"
        " row.addEventListener('click', () => {}); document.getElementById('app').append(row); }"
    )
    return document("Mail", f"<div id=app></div>{_button()}<script>{script}</script>")


def _button() -> str:
    return f"<button onclick=\"say('Changed')\">Change something</button>{CLICK}"


KINDS = {
    "news article": article,
    "shop grid": shop,
    "form": form,
    "table of 1,000 rows": table,
    "single-page app": application,
}
