"""Editors of rich text and of code."""

import pytest

from tests_py.zoo.conftest import Visit

quill = pytest.mark.library("Quill")
tinymce = pytest.mark.library("TinyMCE")
ckeditor = pytest.mark.library("CKEditor = ckeditor5")
prosemirror = pytest.mark.library("ProseMirror = prosemirror-view")
lexical = pytest.mark.library("Lexical")
monaco = pytest.mark.library("Monaco = monaco-editor")
codemirror = pytest.mark.library("CodeMirror 6 = codemirror")
CODE = "function add(a, b) {\n  return a + b;\n}"


@quill
async def test_text_of_quill_is_written_and_made_bold(visit: Visit) -> None:
    page = await visit("quill")
    await page.type("textbox", "", text="Dear Ada")
    await page.press("Control+a")
    await page.click("button", "bold")
    assert await page.value("quill.getContents().ops[0]") == {
        "insert": "Dear Ada",
        "attributes": {"bold": True},
    }


@quill
async def test_a_heading_of_quill_is_chosen(visit: Visit) -> None:
    page = await visit("quill")
    await page.type("textbox", "", text="Title")
    await page.click("button", "Normal")
    await page.click("button", "Heading 1")
    assert await page.value("quill.root.innerHTML") == "<h1>Title</h1>"


@quill
async def test_text_of_quill_is_replaced(visit: Visit) -> None:
    page = await visit("quill")
    await page.type("textbox", "", text="One\nTwo")
    await page.type("textbox", "", text="Three")
    assert await page.value("quill.getText()") == "Three\n"


@tinymce
async def test_text_of_tinymce_is_replaced_and_made_bold(visit: Visit) -> None:
    page = await visit("tinymce")
    await page.type("textbox", "Rich Text Area", text="New text")
    await page.press("Control+a")
    await page.click("button", "Bold")
    assert await page.value("tinymce.activeEditor.getContent()") == "<p><strong>New text</strong></p>"


@tinymce
async def test_a_menu_and_a_dialog_of_tinymce_are_used(visit: Visit) -> None:
    page = await visit("tinymce")
    await page.type("textbox", "Rich Text Area", text="Site")
    await page.press("Control+a")
    await page.click("menuitem", "Insert")
    await page.click("menuitem", "Link…")
    await page.type("combobox", "URL", text="https://example.com/")
    await page.click("button", "Save")
    assert 'href="https://example.com/"' in str(await page.value("tinymce.activeEditor.getContent()"))


@ckeditor
async def test_text_of_ckeditor_is_replaced_and_made_bold(visit: Visit) -> None:
    page = await visit("ckeditor")
    await page.type("textbox", "Rich Text Editor. Editing area: main. Press Alt+0 for help.", text="New text")
    await page.press("Control+a")
    await page.click("button", "Bold")
    assert await page.value("editor.getData()") == "<p><strong>New text</strong></p>"


@ckeditor
async def test_a_heading_of_ckeditor_is_chosen(visit: Visit) -> None:
    page = await visit("ckeditor")
    await page.click("textbox", "Rich Text Editor. Editing area: main. Press Alt+0 for help.")
    await page.click("button", "Paragraph, Heading")
    await page.click("menuitemradio", "Heading 1")
    assert await page.value("editor.getData()") == "<h2>Old text</h2>"


@prosemirror
async def test_text_of_prosemirror_is_replaced_made_bold_and_a_list(visit: Visit) -> None:
    page = await visit("prosemirror")
    await page.type("textbox", "Old text", text="New text")
    await page.press("Control+a")
    await page.click("button", "Toggle strong style")
    await page.click("button", "Wrap in bullet list")
    assert await page.value("view.dom.innerHTML") == "<ul><li><p><strong>New text</strong></p></li></ul>"


@prosemirror
async def test_two_paragraphs_of_prosemirror_are_written(visit: Visit) -> None:
    page = await visit("prosemirror")
    await page.type("textbox", "Old text", text="First\nSecond")
    assert await page.value("[...view.dom.children].map((block) => block.textContent)") == ["First", "Second"]


@lexical
async def test_text_of_lexical_is_replaced_and_made_bold(visit: Visit) -> None:
    page = await visit("lexical")
    await page.type("textbox", "Letter", text="New text")
    assert await page.value("held()") == [[["New text", 0]]]
    await page.press("Control+a")
    await page.click("button", "Bold")
    assert await page.value("held()") == [[["New text", 1]]]


@lexical
async def test_text_of_lexical_is_continued(visit: Visit) -> None:
    page = await visit("lexical")
    await page.click("textbox", "Letter")
    await page.press("Control+End", "!", "Enter", "A")
    assert await page.value("held()") == [[["Old text!", 0]], [["A", 0]]]


@monaco
async def test_code_of_monaco_is_replaced(visit: Visit) -> None:
    page = await visit("monaco")
    await page.type("textbox", "Code", text=CODE)
    assert await page.value("editor.getValue()") == CODE


@monaco
async def test_code_of_monaco_is_read(visit: Visit) -> None:
    page = await visit("monaco")
    await page.shows("const b = 2;")


@monaco
async def test_a_word_of_monaco_is_typed_at_the_end(visit: Visit) -> None:
    page = await visit("monaco")
    await page.click("textbox", "Code")
    await page.press("Control+End", "x", "y")
    assert await page.value("editor.getValue()") == "const a = 1;\nconst b = 2;\nxy"


@codemirror
async def test_code_of_codemirror_is_replaced(visit: Visit) -> None:
    page = await visit("codemirror")
    await page.type("textbox", "Code", text=CODE)
    assert await page.value("view.state.doc.toString()") == CODE


@codemirror
async def test_code_of_codemirror_is_read_and_continued(visit: Visit) -> None:
    page = await visit("codemirror")
    await page.shows("const b = 2;")
    await page.click("textbox", "Code")
    await page.press("Control+End", "x", "y")
    assert await page.value("view.state.doc.toString()") == "const a = 1;\nconst b = 2;\nxy"
