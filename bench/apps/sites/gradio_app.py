"""A Gradio interface with blocks, tabs and most of its inputs: `gradio_app.py PORT`."""

from __future__ import annotations

import sys

import gradio as gr


def greet(name: str, mood: str, times: float) -> str:
    return " ".join([f"{mood} {name}!"] * int(times))


with gr.Blocks(title="Greeter") as demo:
    gr.Markdown("# Greeter\nSays **hello** as often as you like.")
    with gr.Tab("Greet"):
        with gr.Row():
            name = gr.Textbox(label="Name", placeholder="Your name", info="As it is on your badge.")
            mood = gr.Dropdown(["Hello", "Good day", "Welcome"], value="Hello", label="Greeting")
        times = gr.Slider(1, 5, value=1, step=1, label="How often")
        button = gr.Button("Greet", variant="primary")
        said = gr.Textbox(label="What it says", interactive=False)
        button.click(greet, [name, mood, times], said)
        gr.Examples([["Ann", "Hello", 1], ["Ben", "Welcome", 2]], [name, mood, times])
    with gr.Tab("Settings"):
        gr.Radio(["Small", "Medium", "Large"], value="Medium", label="Text size")
        gr.CheckboxGroup(["Bold", "Italic", "Underlined"], label="Style")
        gr.Checkbox(label="Remember me")
        gr.Number(label="Limit", value=10)
        gr.ColorPicker(label="Colour", value="#2266cc")
        gr.File(label="Avatar")
    with gr.Tab("Table"):
        gr.Dataframe([["Ann", 3], ["Ben", 5]], headers=["Name", "Greetings"], label="So far")
    with gr.Accordion("Details", open=False):
        gr.Markdown("Made with `gradio`.")

demo.launch(server_name="127.0.0.1", server_port=int(sys.argv[1]), quiet=True)
