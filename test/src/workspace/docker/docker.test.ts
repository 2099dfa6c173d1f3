import { describe, expect, it } from "vitest";
import { Engine } from "../../../../src/workspace/docker/docker.ts";
import { connectionOptions } from "../../../../src/workspace/docker/endpoint.ts";

describe("the engine's address", () => {
  it.each([
    ["unix:///run/user/1000/docker.sock", { socketPath: "/run/user/1000/docker.sock" }],
    ["tcp://10.0.0.5:2375", { protocol: "http", host: "10.0.0.5", port: "2375" }],
    ["tcp://10.0.0.5:2376", { protocol: "https", host: "10.0.0.5", port: "2376" }],
    ["ssh://ops@box.example", { protocol: "ssh", host: "box.example", username: "ops", port: 22 }],
  ])("%s is understood", (dockerHost, expected) => {
    expect(connectionOptions({ dockerHost })).toMatchObject(expected);
  });

  it("that makes no sense is refused with the forms that do", () => {
    expect(() => connectionOptions({ dockerHost: "/var/run/docker.sock" })).toThrow("unix:///path");
  });
});

describe("an engine that cannot be reached", () => {
  it("15.22 is reported as a sentence that says what to do", async () => {
    const engine = new Engine({ dockerHost: "unix:///deckhand-test/docker.sock" });
    await expect(engine.inspect("x")).rejects.toThrow(
      "Docker cannot be reached at unix:///deckhand-test/docker.sock (ENOENT). Check that it is running, or run `npm run doctor`.",
    );
  });
});
