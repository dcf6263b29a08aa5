import { useState } from "react";
import { createRoot } from "react-dom/client";
import { Accordion, AlertDialog, Checkbox, ContextMenu, Dialog, DropdownMenu, HoverCard, Popover, RadioGroup, Select, Slider, Switch, Tabs, Tooltip } from "radix-ui";

const panel = { background: "white", border: "1px solid", padding: 10 };

function App() {
  const [state, setState] = useState({ size: "", volume: [20], news: false, dark: false, pace: "slow", asked: "" });
  const set = (key) => (value) => setState((now) => ({ ...now, [key]: value }));
  window.state = state;
  return (
    <Tooltip.Provider>
      <p><label id="size">Size</label> <Select.Root value={state.size} onValueChange={set("size")}><Select.Trigger aria-labelledby="size"><Select.Value placeholder="Choose" /></Select.Trigger><Select.Portal><Select.Content style={panel}><Select.Viewport>{["Small", "Medium", "Large"].map((size) => <Select.Item key={size} value={size}><Select.ItemText>{size}</Select.ItemText></Select.Item>)}</Select.Viewport></Select.Content></Select.Portal></Select.Root></p>
      <p><Checkbox.Root id="news" checked={state.news} onCheckedChange={set("news")} style={{ width: 20, height: 20 }}><Checkbox.Indicator>✓</Checkbox.Indicator></Checkbox.Root><label htmlFor="news">News</label> <label htmlFor="dark">Dark</label><Switch.Root id="dark" checked={state.dark} onCheckedChange={set("dark")} style={{ width: 40, height: 20 }}><Switch.Thumb /></Switch.Root></p>
      <RadioGroup.Root aria-label="Pace" value={state.pace} onValueChange={set("pace")}>{["slow", "fast"].map((pace) => <span key={pace}><RadioGroup.Item value={pace} id={pace} style={{ width: 20, height: 20 }} /><label htmlFor={pace}>{pace}</label></span>)}</RadioGroup.Root>
      <Slider.Root value={state.volume} onValueChange={set("volume")} style={{ position: "relative", display: "flex", alignItems: "center", width: 300, height: 20 }}><Slider.Track style={{ flexGrow: 1, height: 3, background: "silver", position: "relative" }}><Slider.Range /></Slider.Track><Slider.Thumb aria-label="Volume" style={{ display: "block", width: 20, height: 20, background: "navy" }} /></Slider.Root>
      <Dialog.Root><Dialog.Trigger>Edit</Dialog.Trigger><Dialog.Portal><Dialog.Overlay style={{ position: "fixed", inset: 0, background: "#0008" }} /><Dialog.Content aria-describedby={undefined} style={{ ...panel, position: "fixed", top: 50, left: 50 }}><Dialog.Title>Your profile</Dialog.Title><label>Name <input onChange={(event) => set("asked")(event.target.value)} /></label><Dialog.Close>Save</Dialog.Close></Dialog.Content></Dialog.Portal></Dialog.Root>
      <AlertDialog.Root><AlertDialog.Trigger>Delete</AlertDialog.Trigger><AlertDialog.Portal><AlertDialog.Content style={{ ...panel, position: "fixed", top: 50, left: 50 }}><AlertDialog.Title>Delete it?</AlertDialog.Title><AlertDialog.Description>It is gone then.</AlertDialog.Description><AlertDialog.Cancel>No</AlertDialog.Cancel><AlertDialog.Action onClick={() => set("asked")("deleted")}>Yes</AlertDialog.Action></AlertDialog.Content></AlertDialog.Portal></AlertDialog.Root>
      <DropdownMenu.Root><DropdownMenu.Trigger>More</DropdownMenu.Trigger><DropdownMenu.Portal><DropdownMenu.Content style={panel}><DropdownMenu.Item onSelect={() => set("asked")("renamed")}>Rename</DropdownMenu.Item><DropdownMenu.Sub><DropdownMenu.SubTrigger>Share</DropdownMenu.SubTrigger><DropdownMenu.Portal><DropdownMenu.SubContent style={panel}><DropdownMenu.Item onSelect={() => set("asked")("mailed")}>By mail</DropdownMenu.Item></DropdownMenu.SubContent></DropdownMenu.Portal></DropdownMenu.Sub></DropdownMenu.Content></DropdownMenu.Portal></DropdownMenu.Root>
      <ContextMenu.Root><ContextMenu.Trigger asChild><div style={{ ...panel, width: 200 }}>A picture</div></ContextMenu.Trigger><ContextMenu.Portal><ContextMenu.Content style={panel}><ContextMenu.Item onSelect={() => set("asked")("copied")}>Copy</ContextMenu.Item></ContextMenu.Content></ContextMenu.Portal></ContextMenu.Root>
      <Tooltip.Root><Tooltip.Trigger>Cost</Tooltip.Trigger><Tooltip.Portal><Tooltip.Content>What it costs</Tooltip.Content></Tooltip.Portal></Tooltip.Root>
      <HoverCard.Root openDelay={200}><HoverCard.Trigger href="#ada">Ada</HoverCard.Trigger><HoverCard.Portal><HoverCard.Content>Wrote the first program</HoverCard.Content></HoverCard.Portal></HoverCard.Root>
      <Popover.Root><Popover.Trigger>Filter</Popover.Trigger><Popover.Portal><Popover.Content style={panel}><label>Width <input onChange={(event) => set("asked")(event.target.value)} /></label></Popover.Content></Popover.Portal></Popover.Root>
      <Tabs.Root defaultValue="one"><Tabs.List><Tabs.Trigger value="one">One</Tabs.Trigger><Tabs.Trigger value="two">Two</Tabs.Trigger></Tabs.List><Tabs.Content value="one">Text of one</Tabs.Content><Tabs.Content value="two">Text of two</Tabs.Content></Tabs.Root>
      <Accordion.Root type="single" collapsible><Accordion.Item value="why"><Accordion.Header><Accordion.Trigger>Why?</Accordion.Trigger></Accordion.Header><Accordion.Content>Because it is so.</Accordion.Content></Accordion.Item></Accordion.Root>
    </Tooltip.Provider>
  );
}

createRoot(document.getElementById("root")).render(<App />);
