import { exampleSetup } from "prosemirror-example-setup";
import { DOMParser, Schema } from "prosemirror-model";
import { schema as basic } from "prosemirror-schema-basic";
import { addListNodes } from "prosemirror-schema-list";
import { EditorState } from "prosemirror-state";
import { EditorView } from "prosemirror-view";
import "prosemirror-view/style/prosemirror.css";
import "prosemirror-menu/style/menu.css";
import "prosemirror-example-setup/style/style.css";

const schema = new Schema({ nodes: addListNodes(basic.spec.nodes, "paragraph block*", "block"), marks: basic.spec.marks });
const content = document.createElement("div");
content.innerHTML = "<p>Old text</p>";
window.view = new EditorView(document.getElementById("root"), { state: EditorState.create({ doc: DOMParser.fromSchema(schema).parse(content), plugins: exampleSetup({ schema }) }) });
