"""Files and data dropped from outside of the page."""

from tests_py.support.site import Site
from tests_py.support.workshop import Workshop

PAGE = """<div id=zone style="width: 300px; height: 100px">Drop here</div><output></output><script>
zone.ondragover = (event) => event.preventDefault();
zone.ondrop = async (event) => {
  event.preventDefault();
  const { files } = event.dataTransfer;
  const text = event.dataTransfer.getData("text/plain");
  const texts = await Promise.all([...files].map(async (file) => `${file.name}: ${await file.text()}`));
  document.querySelector("output").textContent = [...texts, text].join("|");
};
</script>"""


async def test_files_and_texts_are_dropped(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.publish("/zone", PAGE))
    (workshop.folder / "dropped.txt").write_text("what is in it")
    answer = await workshop.do(
        "browser_file_upload", ref="#zone", paths=["dropped.txt"], data={"text/plain": "a text"}
    )
    assert "Dropped 1 file(s) and 1 text(s) on" in answer.section("Result")
    assert await workshop.output() == "dropped.txt: what is in it|a text"


async def test_nothing_is_dropped_from_outside_of_the_folders(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.publish("/zone", PAGE))
    assert "outside the folders" in await workshop.refused(
        "browser_file_upload", ref="#zone", paths=["/etc/passwd"]
    )
    assert "Give `paths` or `data`" in await workshop.refused("browser_file_upload", ref="#zone")
    assert "goes with `ref`" in await workshop.refused("browser_file_upload", data={"text/plain": "x"})
