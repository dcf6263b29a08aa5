// Reads or changes the local or session storage of the page's origin, or lists its IndexedDB databases.
async (kind, action, key, value) => {
  if (kind === "databases") {
    const known = await indexedDB.databases();
    return known.map(({ name, version }) => ({ name, version }));
  }
  const storage = kind === "local" ? localStorage : sessionStorage;
  if (action === "set") storage.setItem(key, value);
  else if (action === "delete") storage.removeItem(key);
  else if (action === "clear") storage.clear();
  else {
    const names = Object.keys(storage).filter((name) => key === null || name === key);
    return names.map((name) => ({ name, value: storage.getItem(name) }));
  }
  return storage.length;
};
