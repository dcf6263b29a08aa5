import { javascript } from "@codemirror/lang-javascript";
import { basicSetup, EditorView } from "codemirror";

window.view = new EditorView({ doc: "const a = 1;\nconst b = 2;\n", extensions: [basicSetup, javascript(), EditorView.contentAttributes.of({ "aria-label": "Code" })], parent: document.getElementById("root") });
