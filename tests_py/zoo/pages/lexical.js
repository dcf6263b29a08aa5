import { $createParagraphNode, $createTextNode, $getRoot, createEditor, FORMAT_TEXT_COMMAND } from "lexical";
import { createEmptyHistoryState, registerHistory } from "@lexical/history";
import { HeadingNode, QuoteNode, registerRichText } from "@lexical/rich-text";

const root = document.getElementById("root");
root.innerHTML = '<button id="bold">Bold</button><div id="text" contenteditable aria-label="Letter" role="textbox" style="border: 1px solid; min-height: 100px"></div>';
const editor = createEditor({ namespace: "zoo", nodes: [HeadingNode, QuoteNode], onError: (error) => { throw error; } });
editor.setRootElement(document.getElementById("text"));
registerRichText(editor);
registerHistory(editor, createEmptyHistoryState(), 300);
editor.update(() => $getRoot().append($createParagraphNode().append($createTextNode("Old text"))));
document.getElementById("bold").onmousedown = (event) => event.preventDefault();
document.getElementById("bold").onclick = () => editor.dispatchCommand(FORMAT_TEXT_COMMAND, "bold");
window.held = () => editor.getEditorState().toJSON().root.children.map((block) => block.children.map(({ text, format }) => [text, format]));
