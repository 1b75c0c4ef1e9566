// the state of the page is in its address, so that a reload or a bookmark comes back to it
const PLAIN = ["view", "criterion", "alpha", "threshold", "chosen"],
  LISTS = ["system"],
  DEEP = ["reading", "asked"];

export const read = () => {
  const given = new URLSearchParams(location.hash.slice(1)),
    state = { view: "files", system: [], reading: null, asked: {} };
  for (const name of PLAIN) if (given.has(name)) state[name] = given.get(name);
  for (const name of LISTS) state[name] = given.getAll(name);
  for (const name of DEEP) {
    try {
      if (given.has(name)) state[name] = JSON.parse(given.get(name));
    } catch {
      /* a damaged address is as good as none */
    }
  }
  for (const name of ["alpha", "threshold"]) if (state[name] !== undefined) state[name] = Number(state[name]);
  return state;
};

export const write = (state, { enter = false } = {}) => {
  const query = new URLSearchParams();
  for (const name of PLAIN)
    if (state[name] !== undefined && state[name] !== null && state[name] !== "") query.set(name, state[name]);
  for (const name of LISTS) for (const each of state[name]) query.append(name, each);
  for (const name of DEEP)
    if (state[name] && Object.keys(state[name]).length) query.set(name, JSON.stringify(state[name]));
  if (location.hash.slice(1) !== query.toString()) history[enter ? "pushState" : "replaceState"](null, "", `#${query}`);
};
