"""A form as Gradio's users write one: what is ordered is written down, a line an order."""

import json
import sys
from pathlib import Path

import gradio as gr

PORT, ORDERS = int(sys.argv[1]), Path(sys.argv[2])


def order(size: str, toppings: list[str], spice: int, count: int, day: str, photo: str | None) -> str:
    """Takes an order."""
    taken = {
        "size": size,
        "toppings": toppings,
        "spice": spice,
        "count": count,
        "day": day,
        "photo": bool(photo),
    }
    ORDERS.write_text(json.dumps(taken))
    return f"Order {count} taken: {size}"


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
