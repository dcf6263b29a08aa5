// Does something with what a page's site keeps in local or session storage, or lists its databases.
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
