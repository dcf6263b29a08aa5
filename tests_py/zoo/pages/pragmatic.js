import { combine } from "@atlaskit/pragmatic-drag-and-drop/combine";
import { draggable, dropTargetForElements, monitorForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { attachClosestEdge, extractClosestEdge } from "@atlaskit/pragmatic-drag-and-drop-hitbox/closest-edge";

const list = document.createElement("ul");
list.id = "rows";
list.style.cssText = "width: 200px; list-style: none";
for (const name of ["Red", "Green", "Blue", "White"]) {
  const element = Object.assign(document.createElement("li"), { textContent: name });
  element.style.cssText = "padding: 14px; border: 1px solid";
  list.append(element);
  combine(
    draggable({ element, getInitialData: () => ({ name }) }),
    dropTargetForElements({ element, getData: ({ input }) => attachClosestEdge({ name }, { element, input, allowedEdges: ["top", "bottom"] }) }),
  );
}
document.getElementById("root").append(list);
const named = (name) => [...list.children].find((item) => item.textContent === name);
monitorForElements({
  onDrop({ source, location }) {
    const target = location.current.dropTargets[0];
    if (!target) return;
    named(target.data.name)[extractClosestEdge(target.data) === "top" ? "before" : "after"](named(source.data.name));
  },
});
