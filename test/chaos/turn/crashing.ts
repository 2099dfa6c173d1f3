/** Told at every crash point of a port: "before store.append", "after store.append". */
export type Announce = (point: string) => void;

/** What a verb gives back is a port of its own. */
const GIVES: Readonly<Record<string, string>> = {
  "store.documents": "documents",
  "store.lease": "lease",
  "workspaces.open": "workspace",
};

/** Ports that stand within ports. */
const HOLDS: Readonly<Record<string, string>> = {
  "store.inbox": "inbox",
  "workspace.checkpoints": "checkpoints",
};

const wrapped = new WeakSet<object>();

/**
 * Puts a crash point before and after every verb that a port really has, whatever it is called: a new verb is a new
 * crash point without anybody having to think of it. The port itself is changed, so that whoever holds it already
 * goes through the points, too.
 */
export function crashing<Port extends object>(port: Port, name: string, announce: Announce): Port {
  if (wrapped.has(port)) return port;
  wrapped.add(port);
  for (const verb of verbsOf(port)) {
    const act = (Reflect.get(port, verb) as Act).bind(port);
    define(port, verb, (...args) => around(act, args, `${name}.${verb}`, announce));
  }
  for (const [place, part] of Object.entries(HOLDS)) {
    const [holder, field = ""] = place.split(".");
    const held: unknown = holder === name ? Reflect.get(port, field) : undefined;
    if (isObject(held)) crashing(held, part, announce);
  }
  return port;
}

/** The names of everything that a port does, its own and those of its class. */
function verbsOf(port: object): string[] {
  const names = new Set<string>();
  for (let one = port; one && one !== Object.prototype; one = Object.getPrototypeOf(one)) {
    for (const name of Object.getOwnPropertyNames(one)) names.add(name);
  }
  names.delete("constructor");
  return [...names].filter((name) => typeof Reflect.get(port, name) === "function");
}

type Act = (...args: unknown[]) => unknown;

function around(act: Act, args: unknown[], verb: string, announce: Announce): unknown {
  const give = (value: unknown) => {
    const part = GIVES[verb];
    return part !== undefined && isObject(value) ? crashing(value, part, announce) : value;
  };
  // What is there at once has no inside to die in.
  if (verb === "store.documents") return give(act(...args));
  announce(`before ${verb}`);
  const value = act(...args);
  if (isObject(value) && Symbol.asyncIterator in value) return stream(value, verb, announce);
  return Promise.resolve(value)
    .then(give)
    .finally(() => announce(`after ${verb}`));
}

async function* stream(events: object, verb: string, announce: Announce) {
  try {
    for await (const event of events as AsyncIterable<unknown>) {
      announce(`during ${verb}`);
      yield event;
    }
  } finally {
    // Whoever has heard enough does not wait for the end.
    announce(`after ${verb}`);
  }
}

function define(port: object, verb: string, value: Act): void {
  Object.defineProperty(port, verb, { value, configurable: true, writable: true });
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
