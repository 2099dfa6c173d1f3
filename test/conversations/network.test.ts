import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { call, say } from "../support/model-server/replies.ts";
import { Talk, type TalkOptions } from "../support/talk.ts";
import { until } from "../support/until.ts";

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A web server that counts what it is asked. */
async function web(): Promise<{ port: number; requests: string[] }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.end("from the server");
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: (server.address() as AddressInfo).port, requests };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}

const run = (command: string) => call("terminal_operations", { operation: "run_command", command });

async function online(options: TalkOptions = {}) {
  const talk = await Talk.start({ ...options, withNetwork: true });
  const server = await web();
  await until(() => listens(talk.tunnel?.port ?? 0), "the proxy to listen");
  const { files } = talk.workspaces.of(talk.thread);
  const host = `files.example.com:${server.port}`;
  const get = `curl -sS -f -m 20 -x ${talk.tunnel?.proxy} http://${host}/page`;
  // What a script does cannot be seen in the command that starts it.
  files.write("job.sh", `echo begun >> log.txt\n${get} || exit 7\n`);
  return { talk, files, get, host, ...server };
}

describe("a host that can be seen in a command", () => {
  it("P-S4 stands on the card of the command, is open while that runs, and closes after it", async () => {
    const { talk, get, host, requests } = await online();
    await using _talk = talk;
    talk.model.script([run(get), say("Read.")]);
    await talk.say("read the page");
    await talk.sees("Approval needed");
    expect(talk.cards("approval")[0]?.text).toContain(`Opens ${host} for this thread`);
    expect(talk.cards("approval")[0]?.text).toContain("every process in this workspace");
    expect(requests).toEqual([]);
    await talk.press("Approve once");
    await talk.sees("Read.");
    expect(requests).toEqual(["GET /page"]);
    expect(talk.cards("approval")).toHaveLength(1);
    await until(async () => (await talk.lines()).includes("host.closed"), "the host to be closed");
    const decision = await talk.bot.gate?.decide(talk.thread, {
      host: "files.example.com",
      port: Number(host.split(":")[1]),
      via: "connect",
    });
    expect(decision?.outcome).toBe("refused");
  });

  it("P-S4 is not reached where the card is denied", async () => {
    const { talk, get, requests } = await online();
    await using _talk = talk;
    talk.model.script([run(get), say("I leave it.")]);
    await talk.say("read the page");
    await talk.press("Deny");
    await talk.sees("I leave it.");
    expect(requests).toEqual([]);
  });

  it("P-S4 asks nobody where a list of the operator allows it, and reaches it", async () => {
    const { talk, get, requests } = await online({
      env: { NETWORK_ALLOW: "*.example.com:*" },
    });
    await using _talk = talk;
    talk.model.script([run(get), say("Read.")]);
    await talk.say("read the page");
    await talk.sees("Read.");
    expect(requests).toEqual(["GET /page"]);
    expect(talk.cards("approval")).toEqual([]);
  });

  it("P-S4 runs nothing where a list denies it, though another allows it", async () => {
    const { talk, get, requests } = await online({
      env: { NETWORK_ALLOW: "*.example.com:*", NETWORK_DENY: "files.example.com:*" },
    });
    await using _talk = talk;
    talk.model.script([run(get), say("Not possible.")]);
    await talk.say("read the page");
    await talk.sees("Not possible.");
    expect(talk.model.requests[1]?.results[0]?.text).toContain("denied by the settings");
    expect(requests).toEqual([]);
  });

  it("4.10 asks again for a request that changes something, though its host is open", async () => {
    const { talk, get, requests } = await online({ env: { NETWORK_ALLOW: "*.example.com:*" } });
    await using _talk = talk;
    talk.model.script([run(`${get} -X DELETE`), say("Done.")]);
    await talk.say("delete the page");
    await talk.sees("Approval needed");
    expect(requests).toEqual([]);
    await talk.press("Approve once");
    await talk.sees("Done.");
    expect(requests).toEqual(["DELETE /page"]);
  });
});

describe("a host that nobody could see before", () => {
  it("P-S4 is refused at once, named in the result, and asked about on one card", async () => {
    const { talk, host, requests } = await online();
    await using _talk = talk;
    talk.model.script([run("bash job.sh; bash job.sh"), say("It was refused.")]);
    await talk.say("run the job");
    await talk.sees("It was refused.");
    await talk.sees("network.open");
    expect(requests).toEqual([]);
    expect(talk.model.requests[1]?.results[0]?.text).toContain(host);
    const cards = talk.cards("approval");
    expect(cards).toHaveLength(1);
    expect(cards[0]?.text).toContain("files.example.com");
    expect(cards[0]?.text).toContain("bash job.sh");
    expect(cards[0]?.text).toContain("cannot verify");
    expect(cards[0]?.text).toContain("every process in this workspace");
    expect(cards[0]?.buttons.map(({ label }) => label)).toEqual([
      "Approve once",
      "Approve 5 min",
      "Approve for this thread",
      "Deny",
    ]);
  });

  it("P-S4 reaches it once it is approved and the command was run again by a click", async () => {
    const { talk, files, requests } = await online();
    await using _talk = talk;
    talk.model.script([run("bash job.sh"), say("It was refused.")]);
    await talk.say("run the job");
    await talk.sees("It was refused.");
    await talk.press("Approve for this thread");
    await talk.press("Run again");
    await until(() => requests.length === 1, "the request");
    await talk.sees("Running the command again");
    await talk.rests();
    const told = talk.texts().find((text) => text.includes("Running the command again")) ?? "";
    expect(told).toContain("The first attempt failed.");
    expect(files.read("log.txt")).toBe("begun\nbegun\n");
    expect(talk.cards("approval")).toHaveLength(1);
    expect(talk.posts().flatMap(({ buttons }) => buttons.map(({ label }) => label))).not.toContain(
      "Run again",
    );
  });

  it("P-S4 is not asked about again once it was denied", async () => {
    const { talk, requests } = await online();
    await using _talk = talk;
    talk.model.script([run("bash job.sh"), say("One."), run("bash job.sh"), say("Two.")]);
    await talk.say("run the job");
    await talk.sees("One.");
    await talk.press("Deny");
    await until(async () => (await talk.lines()).includes("host.denied"), "the denial");
    await talk.say("again");
    await talk.sees("Two.");
    await talk.rests();
    expect(requests).toEqual([]);
    expect(talk.cards("approval")).toHaveLength(1);
    expect(talk.model.requests.at(-1)?.results.at(-1)?.text).toContain("denied by a person");
  });

  it("P-S4 gets a few cards at a time, and the rest is refused without one", async () => {
    const { talk } = await online();
    await using _talk = talk;
    const decide = (name: string) =>
      talk.bot.gate?.decide(talk.thread, { host: name, port: 443, via: "connect" });
    const names = Array.from({ length: 40 }, (_, index) => `h${index}.example.com`);
    await Promise.all(names.map(decide));
    await until(() => talk.cards("approval").length === 5, "five cards");
    const late = await decide("late.example.com");
    expect(late).toMatchObject({ outcome: "refused" });
    expect(JSON.stringify(late)).toContain("net allow late.example.com:443");
    await talk.rests();
    expect(talk.cards("approval")).toHaveLength(5);
  });

  it("P-D2 keeps its card and its buttons through a restart", async () => {
    const { talk, requests } = await online();
    await using _talk = talk;
    talk.model.script([run("bash job.sh"), say("It was refused.")]);
    await talk.say("run the job");
    await talk.sees("network.open");
    await talk.rests();
    await talk.restart();
    await talk.press("Approve 5 min");
    await talk.press("Run again");
    await until(() => requests.length === 1, "the request");
    expect(talk.cards("approval")).toHaveLength(1);
  });

  it("refuses the answer of somebody who may not approve", async () => {
    const { talk } = await online();
    await using _talk = talk;
    const guest = talk.rig.people.person({ kind: "guest" });
    talk.model.script([run("bash job.sh"), say("It was refused.")]);
    await talk.say("run the job");
    await talk.sees("network.open");
    await talk.press("Approve once", { by: guest });
    await until(() => talk.whispers(guest).length > 0, "a word to the guest");
    expect(await talk.lines()).not.toContain("grant.given");
  });

  it("is refused without a card where the operator wants none", async () => {
    const { talk, requests } = await online({ env: { NETWORK_ASK: "false" } });
    await using _talk = talk;
    talk.model.script([run("bash job.sh"), say("It was refused.")]);
    await talk.say("run the job");
    await talk.sees("It was refused.");
    await talk.rests();
    expect(requests).toEqual([]);
    expect(talk.cards("approval")).toEqual([]);
  });
});

describe("the verb net", () => {
  it("opens, shows, denies and revokes hosts, and ends what is connected", async () => {
    const { talk, host, requests } = await online({ withoutModel: true });
    await using _talk = talk;
    await talk.say(`net allow ${host}`);
    await talk.sees("opened for this thread until it is revoked");
    await talk.say("$ bash job.sh");
    await until(() => requests.length === 1, "the request");
    await talk.rests();
    await talk.say("net");
    await talk.sees("Open in this thread");
    await talk.sees(/1 connection, .* sent, .* received/);
    await talk.say("status");
    await talk.sees("1 host opened here");
    await talk.say(`net revoke ${host}`);
    await talk.sees("revoked by");
    await talk.say(`net deny ${host}`);
    await talk.sees("denied in this thread by");
    await talk.say("$ bash job.sh");
    await talk.rests();
    expect(requests).toHaveLength(1);
    expect(talk.cards("approval")).toEqual([]);
  });

  it("is refused to people who may not approve such a card, and says which entry is bad", async () => {
    const { talk } = await online({ withoutModel: true, policy: "approvers: []" });
    await using _talk = talk;
    await talk.say("net allow example.com");
    await talk.sees("You cannot approve this.");
    expect(await talk.lines()).not.toContain("grant.given");
  });

  it("says which entry cannot be used, and what to write", async () => {
    const { talk } = await online({ withoutModel: true });
    await using _talk = talk;
    await talk.say("net allow https://example.com/page");
    await talk.sees("Write example.com");
    await talk.say("net allow nmp");
    await talk.sees("neither a preset");
  });
});
