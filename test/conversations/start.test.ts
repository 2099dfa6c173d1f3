import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { makeDataDirectory } from "../support/data-directory.ts";
import { DiscordServer } from "../support/discord/server.ts";
import { discordEnv } from "../support/discord-rig.ts";
import { startModelServer } from "../support/model-server.ts";
import { SlackServer } from "../support/slack/server.ts";
import { fromManifest, slackEnv } from "../support/slack-rig.ts";

const NO_MODEL = /^No model is set up .*OPENAI_API_KEY/;

/** `npm start` without its set-up, on a machine that has no engine. */
class Program implements AsyncDisposable {
  readonly #directory = makeDataDirectory("start");
  readonly #child;
  readonly #ended;
  out = "";
  err = "";

  constructor(env: Readonly<Record<string, string>>, args: readonly string[] = []) {
    const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
    this.#child = spawn(process.execPath, [main, ...args], {
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        DECKHAND_DATA_DIR: this.#directory,
        WEB_PORT: "0",
        DOCKER_HOST: "unix:///nowhere/docker.sock",
        WORKSPACE_POOL: "0",
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#ended = once(this.#child, "exit");
    this.#child.stdout.on("data", (chunk: Buffer) => {
      this.out += chunk.toString();
    });
    this.#child.stderr.on("data", (chunk: Buffer) => {
      this.err += chunk.toString();
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get lines(): string[] {
    return this.out.split("\n").filter((line) => line !== "");
  }

  async says(text: string): Promise<void> {
    await expect.poll(() => this.out + this.err).toContain(text);
  }

  /** Its exit code, once it has ended by itself. */
  async ends(): Promise<unknown> {
    const [code] = await this.#ended;
    return code;
  }

  /** The same, as an operator ends it. */
  end(): Promise<unknown> {
    this.#child.kill("SIGTERM");
    return this.ends();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** The socket of a service manager, as datagrams come in on it. Perl, because Node has no datagrams for Unix sockets. */
class NotifySocket implements AsyncDisposable {
  readonly #directory = makeDataDirectory("notify");
  readonly path = join(this.#directory, "notify");
  readonly #child = spawn("perl", ["-MSocket", "-e", RECEIVE, this.path]);
  received = "";

  constructor() {
    this.#child.stdout.on("data", (chunk: Buffer) => {
      this.received += chunk.toString();
    });
  }

  async gets(text: string): Promise<void> {
    await expect.poll(() => this.received).toContain(text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill();
    await once(this.#child, "exit");
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

const RECEIVE = `$| = 1; socket(S, AF_UNIX, SOCK_DGRAM, 0) or die; bind(S, sockaddr_un($ARGV[0])) or die;
print "bound\n"; while (defined recv(S, $m, 4096, 0)) { print "$m\n" }`;

const hasSystemd = ["systemd-notify", "perl"].every((name) => existsSync(`/usr/bin/${name}`));

describe("15.22 the program", () => {
  it.runIf(hasSystemd)(
    "tells systemd with its own process id when it is ready, and when it stops",
    async () => {
      await using socket = new NotifySocket();
      await socket.gets("bound");
      await using program = new Program({ NOTIFY_SOCKET: socket.path });
      await program.says("Deckhand is ready");
      await socket.gets("READY=1");
      expect(socket.received).toContain(`MAINPID=${program.pid}`);
      expect(socket.received).not.toContain("STOPPING=1");
      expect(await program.end()).toBe(0);
      await socket.gets("STOPPING=1");
      expect(program.err).not.toContain("systemd");
      expect(socket.received).not.toContain("WATCHDOG=1");
    },
  );

  it.runIf(hasSystemd)("sends systemd signs of life where its watchdog is on", async () => {
    await using socket = new NotifySocket();
    await socket.gets("bound");
    await using program = new Program({ NOTIFY_SOCKET: socket.path, WATCHDOG_USEC: "300000" });
    await socket.gets("READY=1");
    await expect.poll(() => socket.received.split("WATCHDOG=1").length).toBeGreaterThan(3);
    expect(await program.end()).toBe(0);
    expect(program.err).not.toContain("systemd");
  });

  it("starts with nothing at all: it says in one line that there is no model, and serves the web chat", async () => {
    await using program = new Program({});
    await program.says("Deckhand is ready");
    expect(program.lines).toEqual([
      expect.stringMatching(NO_MODEL),
      expect.stringContaining("Open http://127.0.0.1"),
    ]);
    expect(await program.end()).toBe(0);
  });

  it.each([
    ["--help", 0, /^Deckhand, a chat-ops agent[\s\S]*npm start/],
    ["--version", 0, /^\d+\.\d+\.\d+\n$/],
    ["--verison", 1, /^Unknown option '--verison'[\s\S]*--version/],
  ])("%s", async (arg, code, said) => {
    await using program = new Program({}, [arg]);
    expect(await program.ends()).toBe(code);
    expect(code === 0 ? program.out : program.err).toMatch(said);
    expect(program.out + program.err).not.toMatch(/^ +at /m);
  });

  it("an error that the operator can mend has no stack", async () => {
    await using taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    await using program = new Program({ WEB_PORT: String(port) });
    expect(await program.ends()).toBe(1);
    expect(program.err).toContain(String(port));
    expect(program.err).not.toMatch(/^ +at /m);
  });

  it("LOG_LEVEL and LOG_FORMAT choose what is logged, and how", async () => {
    await using slack = await SlackServer.start(fromManifest());
    slack.app.scopes.delete("reactions:write");
    const start = async (env: Readonly<Record<string, string>>) => {
      await using program = new Program({ ...slackEnv(slack), ...env });
      await program.says("Connected to Slack.");
      await program.end();
      return program.err;
    };
    expect(await start({})).toMatch(/ warn {2}/);
    const lines = (await start({ LOG_FORMAT: "json" })).trim().split("\n");
    const levels = lines.map((line) => (JSON.parse(line) as { level: string }).level);
    expect(levels).toEqual(expect.arrayContaining(["warn", "error"]));
    const errors = await start({ LOG_LEVEL: "error" });
    expect(errors).toMatch(/ error /);
    expect(errors).not.toMatch(/ warn /);
    await using program = new Program({ LOG_LEVEL: "loud" });
    expect(await program.ends()).toBe(1);
    expect(program.err).toContain("LOG_LEVEL");
  });

  it.each(["POLICY_FILE", "CHANNELS_FILE"])(
    "says that %s names a file that is not there",
    async (setting) => {
      await using program = new Program({ [setting]: "/nowhere/file.yaml" });
      expect(await program.ends()).toBe(1);
      expect(program.err).toMatch(
        new RegExp(
          `(^|\\n)${setting} names /nowhere/file.yaml, which cannot be read .*start again`,
        ),
      );
    },
  );

  it("says that PROMPTS_DIR names a folder that is not there", async () => {
    await using program = new Program({ PROMPTS_DIR: "/nowhere/prompts" });
    expect(await program.ends()).toBe(1);
    expect(program.err).toMatch(/^PROMPTS_DIR names \/nowhere\/prompts, .*restart/m);
  });

  it("starts with Slack alone", async () => {
    await using slack = await SlackServer.start(fromManifest());
    await using program = new Program(slackEnv(slack));
    await program.says("Connected to Slack.");
    expect(program.lines).toEqual([expect.stringMatching(NO_MODEL), "Connected to Slack."]);
    expect(await program.end()).toBe(0);
  });

  it("starts with Discord alone", async () => {
    await using discord = await DiscordServer.start();
    await using program = new Program(discordEnv(discord));
    await program.says("Connected to Discord.");
    expect(program.lines).toEqual([expect.stringMatching(NO_MODEL), "Connected to Discord."]);
    expect(await program.end()).toBe(0);
  });

  it("starts with both, a model and the web chat", async () => {
    await using slack = await SlackServer.start(fromManifest());
    await using discord = await DiscordServer.start();
    await using model = await startModelServer();
    const env = { ...slackEnv(slack), ...discordEnv(discord), ...model.env, WEB_CHAT: "on" };
    await using program = new Program(env);
    await program.says("Deckhand is ready");
    expect(program.lines).toEqual([
      "Connected to Slack.",
      "Connected to Discord.",
      expect.stringContaining("Open http://127.0.0.1"),
    ]);
    expect(await program.end()).toBe(0);
  });

  it.each([
    ["a key that is refused", { OPENAI_API_KEY: "sk-wrong" }, "rejected OPENAI_API_KEY"],
    ["a model that does not exist", { MODEL: "gpt-nine" }, 'has no model "gpt-nine"'],
  ])("starts with %s, and tells the operator what to set", async (_, env, sentence) => {
    await using model = await startModelServer();
    await using program = new Program({ ...model.env, ...env });
    await program.says(sentence);
    expect(program.out).toContain("Deckhand is ready");
    expect(program.err).not.toContain("sk-wrong");
    expect(await program.end()).toBe(0);
  });

  it.each([
    ["half of Slack's settings", { SLACK_BOT_TOKEN: "xoxb-1" }, "SLACK_APP_TOKEN"],
    ["an address without a model", { OPENAI_BASE_URL: "http://127.0.0.1:9" }, "MODEL"],
  ])("does not start with %s, and says what is missing", async (_, env, named) => {
    await using program = new Program(env);
    await program.says(named);
    expect(await program.ends()).toBe(1);
  });
});
