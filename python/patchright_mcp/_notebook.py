"""The preview of a page in a Jupyter notebook."""

from __future__ import annotations

import base64
import html

LIMIT_MS = 4000.0
"""How long a notebook waits for the preview, in milliseconds."""


def preview_html(title: str, glimpse: tuple[bytes, str] | None) -> str:
    """Returns HTML with a screenshot of a page and its snapshot, which can be unfolded."""
    said = html.escape(title)
    if glimpse is None:
        return f"<code>{said}</code>"
    picture, outline = glimpse
    data = base64.b64encode(picture).decode()
    return (
        f'<figure><img style="max-width:100%;border:1px solid #8888" src="data:image/jpeg;base64,{data}">'
        f"<figcaption><code>{said}</code></figcaption></figure>"
        f"<details><summary>Outline</summary><pre>{html.escape(outline)}</pre></details>"
    )
