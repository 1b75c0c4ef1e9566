// what is asked of the server; errors carry the code of the library and names of controls, by which the page finds what
// mends them
export class Refused extends Error {
  constructor(message, code = "", controls = []) {
    super(message);
    Object.assign(this, { code, controls });
  }
}

const GONE =
  "fairtrial explore does not answer. If it was stopped, start it again and open the address that it prints.";
const asked = async (...given) => {
  let response;
  try {
    response = await fetch(...given);
  } catch {
    throw new Refused(GONE, "gone");
  }
  const content = await response.json().catch(() => ({ error: GONE }));
  if (!response.ok || content.error)
    throw new Refused(content.error || `the server answered ${response.status}`, content.code, content.controls);
  return content;
};
const asJson = (fields) => ({
  method: "POST",
  body: JSON.stringify(fields),
  headers: { "Content-Type": "application/json" },
});
const WAIT = 120;

export const get = async (path, fields = {}) => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) for (const each of [value].flat()) query.append(name, each);
  return asked(`api/${path}?${query}`);
};
export const drop = async (file) =>
  asked(`api/files?${new URLSearchParams({ name: file.name })}`, { method: "PUT", body: file });
export const close = async (key) => asked(`api/files/${key}`, { method: "DELETE" });
export const address = (answer, file) => `api/answers/${answer}/${encodeURIComponent(file)}`;

// work that may take long: told how far it is, and stopped through `stop`
export const work = (path, fields, progress = () => {}) => {
  let job = null,
    stopped = false;
  const stop = () => {
    stopped = true;
    if (job) asked(`api/jobs/${job}`, { method: "DELETE" }).catch(() => {});
  };
  const run = async () => {
    let state = await asked(`api/${path}`, asJson(fields));
    while (state.job) {
      job = state.job;
      progress(state);
      if (stopped) {
        stop();
        return null;
      }
      await new Promise((resolve) => setTimeout(resolve, WAIT));
      state = await get(`jobs/${job}`);
    }
    return state.stopped || stopped ? null : state.result;
  };
  return { stop, done: run() };
};
