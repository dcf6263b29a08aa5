"""What assistive technology is told, as text; and whether that is as a template says."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

_STATES = ("checked", "disabled", "expanded", "level", "pressed", "selected")


def written(children: list[Any], depth: int | None = None, indent: str = "") -> str:
    """The children of an element as text, and so many levels below them."""
    lines: list[str] = []
    for child in children:
        if isinstance(child, str):
            lines.append(f"{indent}- text: {_scalar(child)}")
            continue
        head = f"{indent}- {child['role']}"
        if child.get("name"):
            head += f" {json.dumps(child['name'], ensure_ascii=False)}"
        for state in _STATES:
            value = child.get(state)
            if value not in (None, False):
                head += f" [{state}]" if value is True else f" [{state}={value}]"
        inner, url = child["children"], child.get("url")
        deeper = depth is None or depth > 0
        if url is None and len(inner) == 1 and isinstance(inner[0], str):
            lines.append(f"{head}: {_scalar(inner[0])}")
        elif deeper and (inner or url is not None):
            lines.append(f"{head}:")
            if url is not None:
                lines.append(f"{indent}  - /url: {_scalar(url)}")
            if inner:
                lines.append(written(inner, None if depth is None else depth - 1, f"{indent}  "))
        else:
            lines.append(head)
    return "\n".join(lines)


def _scalar(text: str) -> str:
    """A text, in quotes where it would otherwise mean something else."""
    special = re.search(r'^[\s"\'\-?:,\[\]{}#&*!|>%@`]|:\s|:$|\s#|\s$|^$', text)
    plain = special is None and not re.fullmatch(r"true|false|null|~|[\d.]+", text, re.IGNORECASE)
    return text if plain else json.dumps(text, ensure_ascii=False)


@dataclass
class Template:
    """What one element is to be like. A template without a role is a text."""

    role: str | None = None
    name: str | None = None
    states: dict[str, str] = field(default_factory=dict)
    text: str | None = None
    url: str | None = None
    mode: str | None = None
    children: list[Template] = field(default_factory=list)


_HEAD = re.compile(
    r'(?P<role>[\w-]+)(?:\s+(?P<name>"(?:[^"\\]|\\.)*"|/(?:[^/\\]|\\.)*/))?(?P<states>(?:\s*\[[^\]]*\])*)\s*'
)


def read(text: str) -> Template:
    """Reads a template: a list in which two blanks more are one level deeper."""
    root = Template()
    path: list[tuple[int, Template]] = [(-1, root)]
    for line in text.splitlines():
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip())
        body = line.strip()
        if not body.startswith("- "):
            raise ValueError(f"a line of an aria snapshot begins with a dash: {body}")
        while path[-1][0] >= indent:
            path.pop()
        item = _line(body[2:].strip(), path[-1][1])
        if item is not None:
            path[-1][1].children.append(item)
            path.append((indent, item))
    return root


def _line(body: str, parent: Template) -> Template | None:
    """One line; `None` for one that says something of what it stands in."""
    if body.startswith("/"):
        key, _, value = body.partition(":")
        if key == "/children":
            parent.mode = value.strip()
        else:
            parent.url = _unquoted(value.strip())
        return None
    if body.startswith("text:"):
        return Template(text=_unquoted(body[5:].strip()))
    if body[:1] in "'\"" and body.endswith(":"):
        body = _unquoted(body[:-1]) + ":"
    head = _HEAD.match(body)
    if head is None:
        raise ValueError(f"a line of an aria snapshot cannot be read: {body}")
    item = Template(role=head["role"])
    if head["name"]:
        item.name = head["name"] if head["name"].startswith("/") else json.loads(head["name"])
    for state in re.findall(r"\[([^\]]*)\]", head["states"] or ""):
        key, _, value = state.partition("=")
        item.states[key.strip()] = value.strip() or "true"
    rest = body[head.end() :]
    if rest.startswith(":") and rest[1:].strip():
        item.children.append(Template(text=_unquoted(rest[1:].strip())))
    return item


def _unquoted(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] == '"':
        return str(json.loads(text))
    return text[1:-1].replace("''", "'") if len(text) > 1 and text[0] == text[-1] == "'" else text


def matches(children: list[Any], template: Template) -> bool:
    """Whether the template fits here or anywhere deeper."""
    if _list_fits(children, template, None):
        return True
    return any(matches(child["children"], template) for child in children if isinstance(child, dict))


def _list_fits(children: list[Any], template: Template, inherited: str | None) -> bool:
    mode = template.mode or ("equal" if inherited == "deep-equal" else "contain")
    passed_on = "deep-equal" if template.mode == "deep-equal" or (inherited and not template.mode) else None
    if mode in ("equal", "deep-equal"):
        return len(children) == len(template.children) and all(
            _fits(child, wanted, passed_on) for child, wanted in zip(children, template.children, strict=True)
        )
    rest = iter(children)
    return all(any(_fits(child, wanted, passed_on) for child in rest) for wanted in template.children)


def _fits(child: Any, wanted: Template, inherited: str | None) -> bool:
    if isinstance(child, str):
        return wanted.role is None and _is_text(child, wanted.text or "")
    if wanted.role != child["role"]:
        return False
    if wanted.name is not None and not _is_text(child.get("name") or "", wanted.name):
        return False
    if wanted.url is not None and not _is_text(child.get("url") or "", wanted.url):
        return False
    for state, value in wanted.states.items():
        if str(child.get(state) or False).lower() != value:
            return False
    return _list_fits(child["children"], wanted, inherited)


def _is_text(text: str, wanted: str) -> bool:
    if len(wanted) > 1 and wanted.startswith("/") and wanted.endswith("/") and re.search(wanted[1:-1], text):
        return True
    return " ".join(text.split()) == " ".join(wanted.split())
