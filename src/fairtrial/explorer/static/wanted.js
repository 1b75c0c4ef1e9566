// what is asked of the files: which is which, what their columns and labels are; at first as the files tell it
import { Refused } from "./api.js";

const SINGLE = ["claim", "subject", "model", "probe", "label", "system"];
const DEFAULTS = {
  roles: {},
  labels: {},
  distances: {},
  folds: 5,
  cluster: "",
  nan: "error",
  person: "",
  genuine_by: "",
};

// words that say what they mean, in a column whose coding is not known as a whole
const meaningOf = (word) =>
  /^(impost[oe]r|non-?target|non-?match|attack|spoof|zero-?effort)/i.test(word)
    ? "impostor"
    : /^(genuine|target|match|client|bona-?fide|mated)/i.test(word)
      ? "genuine"
      : "";

const setByName = (name) => {
  const last = name.split(/[\\/]/).pop();
  if (/people|person|subjects/i.test(last)) return "people";
  if (/dev|train/i.test(last)) return "dev";
  return /test|eval/i.test(last) ? "test" : null;
};

// dev and test by the names of the files, else by their order
export const guess = (files) => {
  const sets = Object.fromEntries(files.map(({ key, name }) => [key, setByName(name)]));
  const isScores = ({ trouble, columns }) => !trouble || columns.some(({ role }) => role === "score");
  for (const file of files) if (sets[file.key] !== "people" && !isScores(file)) sets[file.key] = "";
  const free = files.filter(({ key }) => sets[key] === null);
  for (const set of ["dev", "test"])
    if (free.length && !Object.values(sets).includes(set)) sets[free.shift().key] = set;
  for (const { key } of free) sets[key] = "";
  if (files.length && !Object.values(sets).includes("dev")) sets[files[0].key] = "dev";
  return sets;
};

export const wantedOf = (files, reading) => {
  const wanted = { ...DEFAULTS, sets: guess(files), ...(reading ? restored(files, reading) : {}) };
  const inSet = (set) => files.filter(({ key }) => wanted.sets[key] === set);
  const leading = () => inSet("dev")[0];
  const role = (column) => wanted.roles[column.name] || column.role;
  const namesOf = (kind) =>
    leading()
      .columns.filter((column) => role(column) === kind)
      .map(({ name }) => name);
  const namesRead = (kind) =>
    leading()
      .columns.filter((column) => column.role === kind)
      .map(({ name }) => name);
  const labelColumn = () => leading().columns.find((column) => role(column) === "label");

  // the words that the first rows of all files have
  const labels = () => {
    const column = labelColumn(),
      known = new Map();
    if (!column) return [];
    const used = column.role === "label" ? files.filter(({ key }) => wanted.sets[key]) : [];
    for (const file of used) for (const label of file.labels) known.set(label.word, label);
    return known.size ? [...known.values()] : column.examples.map((word) => ({ word, meaning: "" }));
  };
  const meaning = (label) => wanted.labels[label.word] ?? (label.meaning || meaningOf(label.word));

  // each gives what differs from what the files tell by themselves
  const rolesAsked = () => {
    const roles = {},
      scores = namesOf("score");
    if (scores.join("\n") !== namesRead("score").join("\n")) roles.score = scores;
    for (const single of SINGLE) {
      const [name] = namesOf(single);
      if (name !== undefined && name !== namesRead(single)[0]) roles[single] = name;
    }
    const others = leading().columns.filter((column) => role(column) === "other" && SINGLE.includes(column.role));
    if (others.length) roles.other = others.map(({ name }) => name);
    return roles;
  };
  const labelsAsked = () => {
    const words = labels();
    if (words.every((label) => label.meaning && meaning(label) === label.meaning)) return {};
    const of = (kind) => words.filter((label) => meaning(label) === kind).map(({ word }) => word);
    return of("genuine").length || of("impostor").length ? { genuine: of("genuine"), impostor: of("impostor") } : {};
  };
  const distancesAsked = () => {
    const scores = namesOf("score"),
      negate = scores.filter((name) => wanted.distances[name]);
    if (!negate.length) return {};
    return negate.length === scores.length ? { distances: true } : { negate };
  };
  const keys = (set) => inSet(set).map(({ key }) => key);
  const asked = () => {
    if (!leading()) throw new Refused("Choose which file holds the development scores.");
    const { folds, nan, cluster, person, genuine_by: genuineBy } = wanted,
      [people] = keys("people");
    const given = {
      folds: keys("test").length ? "" : folds,
      people,
      nan: nan === "error" ? "" : nan,
      cluster,
      person,
      genuine_by: genuineBy,
    };
    return {
      dev: keys("dev"),
      test: keys("test"),
      roles: rolesAsked(),
      ...labelsAsked(),
      ...distancesAsked(),
      ...Object.fromEntries(Object.entries(given).filter(([, value]) => value)),
    };
  };
  return Object.assign(wanted, { inSet, leading, role, labelColumn, labelWords: labels, meaning, asked });
};

// what was asked for before, as it is to be shown
const restored = (files, reading) => {
  const { dev = [], test = [], people, roles: given = {}, negate = [], distances, ...rest } = reading;
  const roles = Object.fromEntries(
    Object.entries(given).flatMap(([role, names]) => [names].flat().map((name) => [name, role])),
  );
  const columns = files.filter(({ key }) => dev.includes(key)).flatMap((file) => file.columns);
  if (given.score)
    for (const { name, role } of columns) if (role === "score" && !given.score.includes(name)) roles[name] = "other";
  const labels = Object.fromEntries(
    ["genuine", "impostor"].flatMap((kind) => (reading[kind] || []).map((word) => [word, kind])),
  );
  const setOf = (key) => (dev.includes(key) ? "dev" : test.includes(key) ? "test" : key === people ? "people" : "");
  const kept = Object.fromEntries(
    ["folds", "cluster", "nan", "person", "genuine_by"].filter((name) => rest[name]).map((name) => [name, rest[name]]),
  );
  return {
    sets: Object.fromEntries(files.map(({ key }) => [key, setOf(key)])),
    roles,
    labels,
    distances: Object.fromEntries(columns.map(({ name }) => [name, distances || negate.includes(name)])),
    ...kept,
  };
};
