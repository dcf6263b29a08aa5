import { useState } from "react";
import { createRoot } from "react-dom/client";
import { Accordion, AccordionDetails, AccordionSummary, Alert, Autocomplete, Button, Checkbox, Dialog, DialogActions, DialogContent, DialogTitle, FormControl, FormControlLabel, FormLabel, InputLabel, Menu, MenuItem, Radio, RadioGroup, Rating, Select, Slider, Snackbar, Switch, Tab, Tabs, TextField, Tooltip } from "@mui/material";
import { AdapterDayjs } from "@mui/x-date-pickers/AdapterDayjs";
import { DatePicker } from "@mui/x-date-pickers/DatePicker";
import { LocalizationProvider } from "@mui/x-date-pickers/LocalizationProvider";
import dayjs from "dayjs";

const cities = ["Lisbon", "Lima", "London", "Madrid", "Milan"];

function App() {
  const [state, setState] = useState({ size: "", tags: [], city: null, cities: [], volume: 20, day: dayjs("2030-05-15"), tab: 0, news: false, dark: false, pace: "slow", stars: 0, asked: "", name: "" });
  const [open, setOpen] = useState({});
  window.state = { ...state, day: state.day?.format("YYYY-MM-DD") };
  return (
    <LocalizationProvider dateAdapter={AdapterDayjs}>
      <TextField label="Your name" value={state.name} onChange={(event) => setState({ ...state, name: event.target.value })} />
      <FormControl style={{ width: 160 }}><InputLabel id="sl">Size</InputLabel><Select labelId="sl" label="Size" value={state.size} onChange={(event) => setState({ ...state, size: event.target.value })}>{["Small", "Medium", "Large"].map((size) => <MenuItem key={size} value={size}>{size}</MenuItem>)}</Select></FormControl>
      <FormControl style={{ width: 160 }}><InputLabel id="tl">Tags</InputLabel><Select labelId="tl" label="Tags" multiple value={state.tags} onChange={(event) => setState({ ...state, tags: event.target.value })}>{["Red", "Green", "Blue"].map((tag) => <MenuItem key={tag} value={tag}>{tag}</MenuItem>)}</Select></FormControl>
      <Autocomplete options={cities} value={state.city} onChange={(_, city) => setState({ ...state, city })} renderInput={(props) => <TextField {...props} label="City" />} style={{ width: 300 }} />
      <Autocomplete multiple options={cities} value={state.cities} onChange={(_, chosen) => setState({ ...state, cities: chosen })} renderInput={(props) => <TextField {...props} label="Cities" />} style={{ width: 300 }} />
      <Slider aria-label="Volume" value={state.volume} onChange={(_, volume) => setState({ ...state, volume })} style={{ width: 300 }} />
      <DatePicker label="Arrival" value={state.day} onChange={(day) => setState((now) => ({ ...now, day }))} />
      <FormControlLabel control={<Checkbox checked={state.news} onChange={(_, news) => setState({ ...state, news })} />} label="News" />
      <FormControlLabel control={<Switch checked={state.dark} onChange={(_, dark) => setState({ ...state, dark })} />} label="Dark" />
      <FormControl><FormLabel id="pl">Pace</FormLabel><RadioGroup aria-labelledby="pl" value={state.pace} onChange={(_, pace) => setState({ ...state, pace })}><FormControlLabel value="slow" control={<Radio />} label="Slow" /><FormControlLabel value="fast" control={<Radio />} label="Fast" /></RadioGroup></FormControl>
      <Rating name="stars" value={state.stars} onChange={(_, stars) => setState({ ...state, stars })} />
      <Tooltip title="What it costs"><Button>Cost</Button></Tooltip>
      <Button onClick={() => setOpen({ dialog: true })}>Delete</Button>
      <Dialog open={!!open.dialog} onClose={() => setOpen({})}><DialogTitle>Delete it?</DialogTitle><DialogContent>It is gone then.</DialogContent><DialogActions><Button onClick={() => { setState({ ...state, asked: "yes" }); setOpen({ snack: true }); }}>Yes</Button><Button onClick={() => setOpen({})}>No</Button></DialogActions></Dialog>
      <Snackbar open={!!open.snack}><Alert severity="success">Deleted for good</Alert></Snackbar>
      <Button onClick={(event) => setOpen({ menu: event.currentTarget })}>More</Button>
      <Menu anchorEl={open.menu} open={!!open.menu} onClose={() => setOpen({})}>{["Rename", "Archive"].map((name) => <MenuItem key={name} onClick={() => { setState({ ...state, asked: name }); setOpen({}); }}>{name}</MenuItem>)}</Menu>
      <Tabs value={state.tab} onChange={(_, tab) => setState({ ...state, tab })}><Tab label="One" /><Tab label="Two" /></Tabs>
      <p>{["Text of one", "Text of two"][state.tab]}</p>
      <Accordion><AccordionSummary>Why?</AccordionSummary><AccordionDetails>Because it is so.</AccordionDetails></Accordion>
    </LocalizationProvider>
  );
}

createRoot(document.getElementById("root")).render(<App />);
