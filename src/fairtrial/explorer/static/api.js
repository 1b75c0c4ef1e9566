// what is asked of the server; errors are those that the command line would tell
export class Told extends Error {}

const answered = async (response) => {
  const found = await response.json();
  if (!response.ok) throw new Told(found.error || `the server said ${response.status}`);
  return found;
};
const asJson = (fields) => ({ method: "POST", body: JSON.stringify(fields), headers: { "Content-Type": "application/json" } });
const WAIT = 120;

export const get = async (path, fields = {}) => {
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) for (const each of [value].flat()) asked.append(name, each);
  return answered(await fetch(`api/${path}?${asked}`));
};
export const drop = async (file) => answered(await fetch(`api/files?${new URLSearchParams({ name: file.name })}`, { method: "PUT", body: file }));
export const close = async (key) => answered(await fetch(`api/files/${key}`, { method: "DELETE" }));
export const address = (answer, file) => `api/answers/${answer}/${encodeURIComponent(file)}`;

// work that may take long: told how far it is, and stopped through `stop`
export const work = (path, fields, progress = () => {}) => {
  let job = null, stopped = false;
  const stop = () => {
    stopped = true;
    if (job) fetch(`api/jobs/${job}`, { method: "DELETE" });
  };
  const run = async () => {
    let found = await answered(await fetch(`api/${path}`, asJson(fields)));
    while (found.job) {
      job = found.job;
      progress(found);
      if (stopped) { stop(); return null; }
      await new Promise((resolve) => setTimeout(resolve, WAIT));
      found = await get(`jobs/${job}`);
    }
    return found.stopped || stopped ? null : found.result;
  };
  return { stop, done: run() };
};
