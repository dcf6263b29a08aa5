import { useState } from "react";
import { createRoot } from "react-dom/client";
import { DndProvider, useDrag, useDrop } from "react-dnd";
import { HTML5Backend } from "react-dnd-html5-backend";

const box = { border: "1px solid", padding: 16, margin: 16, width: 200 };

function Card({ name }) {
  const [, drag] = useDrag(() => ({ type: "card", item: { name } }));
  return <div ref={(node) => { drag(node); }} style={box}>{name}</div>;
}

function Column({ title, cards, onDrop }) {
  const [{ isOver }, drop] = useDrop(() => ({ accept: "card", drop: (item) => onDrop(item.name), collect: (monitor) => ({ isOver: monitor.isOver() }) }), [onDrop]);
  return <section aria-label={title} id={title.toLowerCase()} ref={(node) => { drop(node); }} style={{ ...box, minHeight: 100, background: isOver ? "#eee" : "" }}><h2>{title}</h2>{cards.map((name) => <Card key={name} name={name} />)}</section>;
}

function Board() {
  const [done, setDone] = useState([]);
  const open = ["Write", "Paint"].filter((name) => !done.includes(name));
  return <DndProvider backend={HTML5Backend}><Column title="Open" cards={open} onDrop={(name) => setDone((now) => now.filter((one) => one !== name))} /><Column title="Done" cards={done} onDrop={(name) => setDone((now) => [...now, name])} /></DndProvider>;
}

createRoot(document.getElementById("root")).render(<Board />);
