import { useState } from "react";
import { createRoot } from "react-dom/client";
import { Combobox, ComboboxInput, ComboboxOption, ComboboxOptions, Dialog, DialogPanel, DialogTitle, Disclosure, DisclosureButton, DisclosurePanel, Field, Label, Listbox, ListboxButton, ListboxOption, ListboxOptions, Menu, MenuButton, MenuItem, MenuItems, Radio, RadioGroup, Switch } from "@headlessui/react";

const cities = ["Lisbon", "Lima", "London", "Madrid"];

function App() {
  const [state, setState] = useState({ size: "Small", tags: [], city: null, dark: false, pace: "Slow", asked: "" });
  const [query, setQuery] = useState("");
  const [open, setOpen] = useState(false);
  const set = (key) => (value) => setState((now) => ({ ...now, [key]: value }));
  window.state = state;
  return (
    <>
      <Field><Label>Size</Label> <Listbox value={state.size} onChange={set("size")}><ListboxButton>{state.size}</ListboxButton><ListboxOptions anchor="bottom">{["Small", "Medium", "Large"].map((size) => <ListboxOption key={size} value={size}>{size}</ListboxOption>)}</ListboxOptions></Listbox></Field>
      <Field><Label>Tags</Label> <Listbox multiple value={state.tags} onChange={set("tags")}><ListboxButton>{state.tags.join(", ") || "None"}</ListboxButton><ListboxOptions anchor="bottom">{["Red", "Green", "Blue"].map((tag) => <ListboxOption key={tag} value={tag}>{tag}</ListboxOption>)}</ListboxOptions></Listbox></Field>
      <Field><Label>City</Label> <Combobox value={state.city} onChange={set("city")}><ComboboxInput displayValue={(city) => city ?? ""} onChange={(event) => setQuery(event.target.value)} /><ComboboxOptions anchor="bottom">{cities.filter((city) => city.toLowerCase().includes(query.toLowerCase())).map((city) => <ComboboxOption key={city} value={city}>{city}</ComboboxOption>)}</ComboboxOptions></Combobox></Field>
      <Field><Label>Dark</Label> <Switch checked={state.dark} onChange={set("dark")} style={{ width: 40, height: 20 }} /></Field>
      <RadioGroup aria-label="Pace" value={state.pace} onChange={set("pace")}>{["Slow", "Fast"].map((pace) => <Field key={pace}><Radio value={pace} style={{ display: "inline-block", width: 16, height: 16, border: "1px solid" }} /><Label>{pace}</Label></Field>)}</RadioGroup>
      <Menu><MenuButton>More</MenuButton><MenuItems anchor="bottom">{["Rename", "Archive"].map((name) => <MenuItem key={name}><button onClick={() => set("asked")(name)}>{name}</button></MenuItem>)}</MenuItems></Menu>
      <button onClick={() => setOpen(true)}>Delete</button>
      <Dialog open={open} onClose={setOpen} transition style={{ position: "fixed", inset: 0, background: "#fff8" }}><DialogPanel><DialogTitle>Delete it?</DialogTitle><button onClick={() => { set("asked")("deleted"); setOpen(false); }}>Yes</button></DialogPanel></Dialog>
      <Disclosure><DisclosureButton>Why?</DisclosureButton><DisclosurePanel>Because it is so.</DisclosurePanel></Disclosure>
    </>
  );
}

createRoot(document.getElementById("root")).render(<App />);
