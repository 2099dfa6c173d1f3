import { type Profiler, Session } from "node:inspector";

/** One function that ran, by the script that it stands in and where it begins there. */
export interface RanFunction {
  readonly url: string;
  readonly name: string;
  readonly offset: number;
}

/** Which functions of this process run. */
export class Coverage implements Disposable {
  readonly #session = new Session();

  constructor() {
    this.#session.connect();
    this.#session.post("Profiler.enable");
    this.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  }

  /** In the order of the event loop's turns: each turn is looked at by itself, and V8 starts counting anew. */
  async during(work: () => Promise<void>): Promise<RanFunction[]> {
    const ran: RanFunction[] = [];
    this.#take();
    let isOver = false;
    const look = () => {
      ran.push(...this.#take());
      if (!isOver) setImmediate(look);
    };
    look();
    await work();
    isOver = true;
    look();
    return ran;
  }

  #take(): RanFunction[] {
    let ran: RanFunction[] = [];
    this.#session.post("Profiler.takePreciseCoverage", (error, taken) => {
      if (error) throw error;
      ran = taken.result.flatMap(({ url, functions }) =>
        functions.flatMap(({ functionName: name, ranges: [range] }) =>
          hasRun(range) ? [{ url, name, offset: range.startOffset }] : [],
        ),
      );
    });
    return ran.filter(({ url }) => url.startsWith("file:"));
  }

  [Symbol.dispose](): void {
    this.#session.disconnect();
  }
}

type Range = Profiler.CoverageRange | undefined;

/** What begins at 0 is the module itself, which runs once, when it is loaded. */
function hasRun(range: Range): range is Profiler.CoverageRange {
  return range !== undefined && range.count > 0 && range.startOffset > 0;
}
