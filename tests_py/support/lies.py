# ruff: noqa: E501 -- the page is a script
"""Pages that lie: what each does with the input that it gets, and what it says afterwards that it got."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

TEXTS = ("Johanna Smith", "order_id", "4711", "12 Main St", "ab")
MOMENTS = ("timer", "over", "down", "focus", "input")
MADE: dict[str, Callable[[str], str]] = {
    "": lambda text: text,
    "upper": str.upper,
    "digits": lambda text: "".join(sign for sign in text if sign in "0123456789"),
    "short": lambda text: text[:3],
}
"""What a field makes of a text by itself."""

ANY = (
    "none",
    "cover",
    "cover briefly",
    "replace",
    "replace bare",
    "remove",
    "shift",
    "disable",
    "late",
    "redirect",
)
LIES = {
    "click": (*ANY, "swallow"),
    "double": ANY,
    "hover": tuple(lie for lie in ANY if lie != "cover"),
    "fill": (*ANY, "steal", "reject", "reject late", *(f"make {how}" for how in MADE if how)),
    "type": (*ANY, "steal", "reject", "reject late", *(f"make {how}" for how in MADE if how)),
    "press": ("none", "swallow", "shift", "cover", "replace"),
    "select": (*ANY, "reject", "reject late", "choose another"),
    "check": (*ANY, "reject", "reject late", "swallow"),
    "uncheck": (*ANY, "reject", "reject late", "swallow"),
    "upload": ("none", "shift", "replace", "reject", "reject late", "late"),
    "drag": ("none", "shift", "cover", "late", "swallow", "remove"),
}  # fmt: skip
"""What may go wrong with each action."""

TARGETS = {
    "click": "<button id=target>Go</button>",
    "double": "<button id=target>Go</button>",
    "hover": "<button id=target>Go</button>",
    "fill": "<input id=target aria-label=Field value=old>",
    "type": "<input id=target aria-label=Field value=old>",
    "press": "<input id=target aria-label=Field value=old>",
    "select": "<select id=target aria-label=Choice><option>Ant<option>Bee<option>Cat</select>",
    "check": "<input type=checkbox id=target aria-label=Agree>",
    "uncheck": "<input type=checkbox id=target aria-label=Agree checked>",
    "upload": "<input type=file id=target aria-label=File>",
    "drag": "<div id=target draggable=true style='width:80px;height:40px;background:gold'>Card</div>",
}
WISHES: dict[str, str | bool] = {
    "select": "Cat",
    "check": True,
    "uncheck": False,
    "upload": "given.txt",
    "press": "ArrowLeft",
}
EVENTS = {"click": "click", "double": "dblclick", "hover": "mouseover", "press": "keydown", "drag": "drop"}
"""What a page must have heard of an action that leaves nothing in a control."""

SCRIPT = """
const plan = PLAN, heard = [], at = () => document.querySelector("#target");
const keep = () => sessionStorage.setItem("truth", JSON.stringify({ id: plan.id, heard, held }));
const held = [];
const state = () => {
  const node = at();
  if (!node) return null;
  if (node.type === "checkbox") return node.checked;
  return node.type === "file" ? node.files[0]?.name ?? "" : node.value ?? null;
};
const look = () => {
  if (held.at(-1)?.[1] === state()) return;
  held.push([Date.now(), state()]);
  keep();
};
for (const kind of ["click", "dblclick", "mouseover", "keydown", "drop", "input"])
  addEventListener(kind, (event) => {
    const on = event.composedPath()[0];
    if (kind === "input") look();
    if (!event.isTrusted || !on.closest?.(kind === "drop" ? "#place" : "#target")) return;
    heard.push(kind === "keydown" ? `${kind} ${event.key}` : kind);
    keep();
    setTimeout(look);
  }, true);
const make = {
  upper: (text) => text.toUpperCase(),
  digits: (text) => text.replace(/[^0-9]/g, ""),
  short: (text) => text.slice(0, 3),
};
const anew = (bare) => {
  const old = at();
  if (!old) return;
  const next = old.cloneNode(true);
  if (!bare && "value" in old && old.type !== "file") { next.value = old.value; next.checked = old.checked; }
  const focused = document.activeElement === old;
  old.replaceWith(next);
  if (focused && !bare) { next.focus(); next.setSelectionRange?.(next.value.length, next.value.length); }
};
const cover = () => {
  const veil = document.createElement("div");
  veil.style = "position:fixed;inset:0;z-index:9;background:#0003";
  document.body.append(veil);
  return veil;
};
const back = () => { const node = at(); if (node) { node.type === "checkbox" ? (node.checked = plan.wish === false) : (node.value = plan.before); } };
const lies = {
  cover, "cover briefly": () => { const veil = cover(); setTimeout(() => veil.remove(), 200); },
  replace: () => anew(false), "replace bare": () => anew(true), remove: () => at()?.remove(),
  shift: () => { if (at()) at().style.marginLeft = "220px"; }, disable: () => { if (at()) at().disabled = true; },
  redirect: () => { location.href = "/elsewhere"; }, steal: () => other.focus(),
};
const act = lies[plan.lie];
if (act) {
  let done = false;
  const once = (event) => {
    if (done || (event && !event.composedPath()[0].closest?.("#target"))) return;
    if (event?.type === "input" && plan.after-- > 0) return;
    done = true;
    plan.wait ? setTimeout(act, plan.wait) : act();
  };
  if (plan.moment === "timer") setTimeout(once, plan.wait);
  else addEventListener({ over: "mouseover", down: "mousedown", focus: "focusin", input: "input" }[plan.moment], once, true);
}
if (plan.lie === "late") { at().hidden = true; setTimeout(() => { at().hidden = false; }, plan.wait + 100); }
if (plan.lie === "swallow") for (const kind of plan.action === "press" ? ["keydown"] : ["mousedown", "mouseup", "click", "keydown"])
  document.addEventListener(kind, (event) => { event.preventDefault(); event.stopImmediatePropagation(); }, true);
if (plan.lie === "reject") document.addEventListener("input", (event) => { if (event.target.id === "target") back(); });
if (plan.lie === "reject late") document.addEventListener("input", (event) => { if (event.target.id === "target") setTimeout(back, 20); });
if (plan.lie === "choose another") document.addEventListener("input", () => { at().value = "Bee"; });
if (plan.lie.startsWith("make ")) document.addEventListener("input", (event) => {
  if (event.target.id === "target") { event.target.value = make[plan.lie.slice(5)](event.target.value); }
});
document.addEventListener("dragover", (event) => { if (event.target.id === "place") event.preventDefault(); });
document.addEventListener("drop", (event) => { if (event.target.id === "place") event.preventDefault(); });
setInterval(look, 20);
look();
keep();
"""


@dataclass(frozen=True)
class Lie:
    """A page, what to do with it, and how it treats that."""

    number: int
    action: str
    lie: str
    moment: str
    wait_ms: int
    after: int
    below: int
    text: str
    slowly: bool

    @property
    def wish(self) -> str | bool | None:
        """What its control holds when the action has worked."""
        if self.action in ("fill", "type"):
            return MADE[self.lie[5:] if self.lie.startswith("make ") else ""](self.text)
        return None if self.action in EVENTS else WISHES[self.action]

    @property
    def wish_key(self) -> str:
        """The key to press."""
        return str(WISHES["press"])

    def page(self) -> str:
        """Its HTML."""
        plan = {
            "id": self.number,
            "action": self.action,
            "lie": self.lie,
            "moment": self.moment,
            "wait": self.wait_ms,
            "after": self.after,
            "wish": self.wish,
            "before": "Ant" if self.action == "select" else "" if self.action == "upload" else "old",
        }
        place = "<div id=place style='width:200px;height:80px;border:1px solid'>Here</div>"
        return (
            f"<title>Page</title><body><label>Other <input id=other></label><div style='height:{self.below}px'></div>"
            f"<div>{TARGETS[self.action]}</div>{place if self.action == 'drag' else ''}"
            f"<script>{SCRIPT.replace('PLAN', json.dumps(plan))}</script>"
        )

    def is_true(self, truth: dict[str, Any], answered_ms: float) -> bool:
        """Whether the page got what was wished, by the time of the answer."""
        if truth.get("id") != self.number:
            return False
        if kind := EVENTS.get(self.action):
            return (f"{kind} {WISHES['press']}" if self.action == "press" else kind) in truth["heard"]
        if self.action == "upload":
            # Many pages take the files, and empty the field at once.
            return "input" in truth["heard"]
        # A control that is gone is as it was.
        held = [(when, state) for when, state in truth["held"] if state is not None]
        ends = [when for when, _ in held[1:]] + [float("inf")]
        typed = self.action not in ("fill", "type") or "input" in truth["heard"]
        if self.lie in REJECTING:
            # What is taken back at once was never taken.
            return typed and held[-1][1] == self.wish
        # What the page changes by itself after the answer is none of the action's.
        return typed and any(
            state == self.wish and begun <= answered_ms and end >= answered_ms - ON_ITS_WAY_MS
            for (begun, state), end in zip(held, ends, strict=True)
        )

    def __str__(self) -> str:
        return f"{self.action}, {self.lie} on {self.moment} after {self.wait_ms} ms/{self.after}, {self.text!r}, below {self.below}"


REJECTING = {"reject", "reject late", "choose another"}
ON_ITS_WAY_MS = 50
"""How long before an answer arrives the page may change what it says."""


def lies(seed: int, count: int) -> list[Lie]:
    """So many pages, the same for the same seed."""
    dice = random.Random(seed)  # noqa: S311
    made = []
    for number in range(count):
        action = dice.choice(list(LIES))
        lie = dice.choice(LIES[action])
        made.append(
            Lie(
                number,
                action,
                lie,
                moment=dice.choice(MOMENTS),
                wait_ms=dice.choice((0, 0, 5, 30, 80, 150, 300)),
                after=dice.choice((0, 0, 1, 3)),
                below=dice.choice((0, 0, 300, 1500)),
                text=dice.choice(["4711", "12 Main St"] if lie == "make digits" else TEXTS),
                slowly=dice.random() < 0.3,
            )
        )
    return made
