"""A form as Gradio's users write one; the newest order is kept in a file."""

import json
import sys
from pathlib import Path

import gradio as gr  # type: ignore[import-not-found]  # Lives with the application.

PORT, ORDER = int(sys.argv[1]), Path(sys.argv[2])
FIELDS = ("size", "toppings", "spice", "count", "day", "photo")


def order(*given: object) -> str:
    """Takes an order."""
    taken = dict(zip(FIELDS, given, strict=True))
    ORDER.write_text(json.dumps({**taken, "photo": bool(taken["photo"])}))
    return f"Order {taken['count']} taken: {taken['size']}"


with gr.Blocks(title="Orders") as demo:
    gr.Markdown("# Pizza orders")
    fields = [
        gr.Dropdown(["small", "medium", "large", "family"], label="Size", value=None),
        gr.CheckboxGroup(["olives", "ham", "corn", "basil"], label="Toppings"),
        gr.Slider(0, 10, step=1, label="Spiciness"),
        gr.Number(label="Quantity", value=1, precision=0),
        gr.Radio(["today", "tomorrow"], label="Day"),
        gr.File(label="A photo of your door"),
    ]
    answer = gr.Textbox(label="Answer")
    gr.Button("Send order").click(order, fields, answer)
demo.launch(server_name="127.0.0.1", server_port=PORT)
