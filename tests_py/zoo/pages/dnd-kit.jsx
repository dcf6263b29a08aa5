import { useState } from "react";
import { createRoot } from "react-dom/client";
import { closestCenter, DndContext, KeyboardSensor, PointerSensor, useSensor, useSensors } from "@dnd-kit/core";
import { arrayMove, SortableContext, sortableKeyboardCoordinates, useSortable, verticalListSortingStrategy } from "@dnd-kit/sortable";

function Item({ id }) {
  const { attributes, listeners, setNodeRef, transform, transition } = useSortable({ id });
  const style = { transform: transform ? `translate(${transform.x}px, ${transform.y}px)` : undefined, transition, padding: 14, border: "1px solid", width: 200 };
  return <li ref={setNodeRef} style={style} {...attributes} {...listeners}>{id}</li>;
}

function List() {
  const [items, setItems] = useState(["Ant", "Bee", "Cat", "Dog", "Eel"]);
  const sensors = useSensors(useSensor(PointerSensor, { activationConstraint: { distance: 5 } }), useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }));
  const onDragEnd = ({ active, over }) => over && setItems((now) => arrayMove(now, now.indexOf(active.id), now.indexOf(over.id)));
  return (
    <DndContext sensors={sensors} collisionDetection={closestCenter} onDragEnd={onDragEnd}>
      <SortableContext items={items} strategy={verticalListSortingStrategy}>
        <ul id="animals" style={{ listStyle: "none" }}>{items.map((id) => <Item key={id} id={id} />)}</ul>
      </SortableContext>
    </DndContext>
  );
}

createRoot(document.getElementById("root")).render(<List />);
