import { useCallback } from "react";
import { createRoot } from "react-dom/client";
import { addEdge, Background, Controls, ReactFlow, useEdgesState, useNodesState } from "@xyflow/react";
import "@xyflow/react/dist/style.css";

function Flow() {
  const [nodes, setNodes, onNodesChange] = useNodesState([
    { id: "a", position: { x: 100, y: 50 }, data: { label: "Read" } },
    { id: "b", position: { x: 400, y: 250 }, data: { label: "Write" } },
  ]);
  const [edges, setEdges, onEdgesChange] = useEdgesState([]);
  const onConnect = useCallback((made) => setEdges((now) => addEdge(made, now)), []);
  window.flow = { nodes: nodes.map(({ id, position, data }) => ({ id, ...position, label: data.label })), edges: edges.map(({ source, target }) => [source, target]) };
  return (
    <>
      <button onClick={() => setNodes((now) => [...now, { id: `n${now.length}`, position: { x: 100, y: 300 }, data: { label: "New step" } }])}>Add a step</button>
      <div style={{ width: 800, height: 450, border: "1px solid" }}>
        <ReactFlow nodes={nodes} edges={edges} onNodesChange={onNodesChange} onEdgesChange={onEdgesChange} onConnect={onConnect}><Background /><Controls /></ReactFlow>
      </div>
    </>
  );
}

createRoot(document.getElementById("root")).render(<Flow />);
