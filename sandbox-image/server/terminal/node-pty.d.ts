/** The part of node-pty that is used here. Its own types know only its original name and only text. */
declare module "node-pty" {
  export interface IPty {
    readonly pid: number;
    /** Of the master's side, non-blocking. */
    readonly fd: number;
    /** Bytes, since no encoding is asked for. */
    onData(listener: (data: Buffer) => void): void;
    onExit(listener: (exit: { exitCode: number; signal?: number }) => void): void;
    write(text: string): void;
    resize(cols: number, rows: number): void;
    pause(): void;
    resume(): void;
  }

  export interface SpawnOptions {
    readonly name: string;
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly rows: number;
    readonly cols: number;
    readonly encoding: null;
  }

  export function spawn(file: string, args: readonly string[], options: SpawnOptions): IPty;
}
