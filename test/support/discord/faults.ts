/** A call, as faults are told of it: "POST /channels/:channel/messages" */
export type RouteName = string;

/** How an answer is lost: the connection ends in good order, or is reset. Clients take the two differently. */
export type Loss = "closed" | "reset";

interface Failure {
  readonly status: number;
  /** True: what was asked for is done, and only the answer is an error. */
  readonly isDone: boolean;
  readonly routes: readonly RouteName[];
}

/** What goes wrong between an app and Discord, when a test wants it. */
export class DiscordFaults {
  /** False: no connection comes in, and none stays. */
  isReachable = true;
  /** Every so many calls one is refused with 429; 0: none. */
  refuseEvery = 0;
  /** How often each event is delivered. */
  copies = 1;
  /** How long each answer takes. */
  answerAfterMs = 0;
  /** How long each event takes. */
  deliverAfterMs = 0;
  /** Whoever wants to resume has to start anew. */
  refusesResume = false;
  /** Heartbeats are not answered: a connection that looks alive and is not. */
  ignoresHeartbeats = false;
  /** Told of each call that was carried out. False: its answer never arrives. */
  onDone: (route: RouteName) => boolean = () => true;
  readonly #lost: { readonly routes: readonly RouteName[]; readonly loss: Loss }[] = [];
  readonly #refused: { readonly retryAfterMs: number; readonly isGlobal: boolean }[] = [];
  readonly #failures: Failure[] = [];
  #calls = 0;
  #reordering = 0;

  /** The next call (of one of these routes) is carried out, but its answer never arrives. */
  loseNextAnswer(routes: readonly RouteName[] = [], loss: Loss = "closed"): void {
    this.#lost.push({ routes, loss });
  }

  /** What was to be lost and is not yet, arrives after all. */
  forgetLosses(): void {
    this.#lost.length = 0;
  }

  /** The next call is refused with 429. */
  refuseNext(retryAfterMs: number, { isGlobal = false } = {}): void {
    this.#refused.push({ retryAfterMs, isGlobal });
  }

  /** The next call (of one of these routes) is answered with this 5xx. */
  failNext(status: number, options: Partial<Omit<Failure, "status">> = {}): void {
    this.#failures.push({ isDone: false, routes: [], ...options, status });
  }

  /** The next so many events are kept back and then come in the opposite order. */
  reorderNext(events: number): void {
    this.#reordering = events;
  }

  /** How many events are to be turned round, asked once. */
  takeReordering(): number {
    const taken = this.#reordering;
    this.#reordering = 0;
    return taken;
  }

  takeLoss(route: RouteName): Loss | undefined {
    return this.#take(this.#lost, ({ routes }) => fits(routes, route))?.loss;
  }

  takeFailure(route: RouteName): Failure | undefined {
    return this.#take(this.#failures, ({ routes }) => fits(routes, route));
  }

  takeRefusal(): { readonly retryAfterMs: number; readonly isGlobal: boolean } | undefined {
    this.#calls += 1;
    const asked = this.#refused.shift();
    if (asked) return asked;
    const isTurn = this.refuseEvery > 0 && this.#calls % this.refuseEvery === 0;
    return isTurn ? { retryAfterMs: 50, isGlobal: false } : undefined;
  }

  #take<Value>(from: Value[], isMeant: (value: Value) => boolean): Value | undefined {
    const at = from.findIndex(isMeant);
    return at === -1 ? undefined : from.splice(at, 1)[0];
  }
}

function fits(routes: readonly RouteName[], route: RouteName): boolean {
  return routes.length === 0 || routes.includes(route);
}
