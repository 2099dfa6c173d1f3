import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { until } from "../support/until.ts";
import { Rig, say } from "./rig.ts";
import { connectBrowser } from "./shared-browser.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await connectBrowser();
});
afterAll(() => browser.close());

async function serve(handler: Parameters<typeof createServer>[1]) {
  const server: Server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A page of another site that makes its visitor's browser send everything it can to `target`. */
function hostilePage(target: string): string {
  const api = (at: number) => `${target}/api/threads/${at}`;
  const each = (make: (at: number) => string) =>
    Array.from({ length: 30 }, (_, at) => make(at)).join("");
  return `<!doctype html><title>evil</title>
    ${each((at) => `<iframe src="${api(at)}"></iframe><img src="${api(at + 100)}">`)}
    ${each((at) => `<iframe name="f${at}"></iframe><form id="g${at}" target="f${at}" method="post" action="${api(at + 200)}"></form>`)}
    <script>
      const sent = [new Promise((done) => addEventListener("load", done))];
      for (let at = 0; at < 30; at += 1) {
        document.getElementById("g" + at).submit();
        sent.push(fetch("${target}/api/f" + at, { mode: "no-cors" }).catch(() => {}));
        sent.push(fetch("${target}/api/g" + at, { headers: { authorization: "Bearer some-guess-000000000" + at } }).catch(() => {}));
        navigator.sendBeacon("${target}/api/b" + at, "x");
        const events = new EventSource("${target}/api/e" + at);
        sent.push(new Promise((done) => { events.onerror = () => done(events.close()); }));
        const socket = new WebSocket("${target}".replace("http", "ws") + "/live");
        socket.onopen = () => socket.send(JSON.stringify({ type: "hello", token: "guess-0000000000" + at }));
      }
      Promise.all(sent).then(() => { document.title = "done"; });
    </script>`;
}

it("a hostile page in the owner's browser locks nobody out of the web chat", async () => {
  await using rig = await Rig.start(browser);
  await using evil = await serve((_, response) => {
    response.setHeader("content-type", "text/html").end(hostilePage(rig.lab.origin));
  });
  const owner = await rig.open();
  const visit = await owner.context().newPage();
  for (const host of ["localhost", "127.0.0.1"]) {
    await visit.goto(`http://${host}:${evil.port}/`);
    await visit.waitForFunction("document.title === 'done'");
  }
  await say(owner, "hello");
  await owner.getByText("You said: hello").first().waitFor();
  const again = await rig.open();
  await say(again, "still here");
  await again.getByText("You said: still here").first().waitFor();
  const bad = await rig.lab.request("GET", "/api/x", { token: "one-more-guess-00000" });
  expect(bad.status).toBe(401);
});

it("the same page locks everybody out of a server that counts such requests: the control", async () => {
  let refused = 0;
  await using careless = await serve((request, response) => {
    if (request.headers.authorization === "Bearer good")
      response.statusCode = refused >= 20 ? 429 : 200;
    else {
      refused += 1;
      response.statusCode = 401;
    }
    response.end();
  });
  const target = `http://127.0.0.1:${careless.port}`;
  await using evil = await serve((_, response) => {
    response.setHeader("content-type", "text/html").end(hostilePage(target));
  });
  const page = await browser.newPage();
  await page.goto(`http://localhost:${evil.port}/`);
  await until(() => refused >= 25, "the requests of the page");
  const owner = await fetch(`${target}/api`, { headers: { authorization: "Bearer good" } });
  expect(owner.status).toBe(429);
  await page.close();
});
