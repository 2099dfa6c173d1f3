// @ts-check
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { join } from "node:path";
import { SetupError } from "./problem.mjs";

export const DEFAULT_SOCKET = "/var/run/docker.sock";

/** @typedef {{ status: number, body: string }} Answer */

/**
 * Where the engine is, as options of node:http, from the variables that the docker command reads too.
 * @param {NodeJS.ProcessEnv} env
 * @returns {http.RequestOptions & { tls?: boolean, name: string }}
 */
function engineAddress(env) {
  const host = env.DOCKER_HOST || `unix://${DEFAULT_SOCKET}`;
  const socketPath = /^unix:\/\/(.+)/.exec(host)?.[1];
  if (socketPath) return { socketPath, name: host };
  const url = URL.canParse(host) ? new URL(host) : undefined;
  if (!url || !["tcp:", "http:", "https:"].includes(url.protocol)) {
    throw new SetupError(
      `DOCKER_HOST=${host} is not supported by setup: set it to unix:///path or tcp://host:port, or unset it.`,
    );
  }
  const tls = url.protocol === "https:" || Boolean(env.DOCKER_TLS_VERIFY);
  const port = url.port || (tls ? "2376" : "2375");
  const address = { host: url.hostname.replace(/^\[|\]$/g, ""), port, tls, name: host };
  return tls && env.DOCKER_CERT_PATH
    ? { ...address, ...certificates(env.DOCKER_CERT_PATH) }
    : address;
}

/** @param {string} directory */
function certificates(directory) {
  try {
    const read = (/** @type {string} */ name) => readFileSync(join(directory, name));
    return { ca: read("ca.pem"), cert: read("cert.pem"), key: read("key.pem") };
  } catch (error) {
    throw new SetupError(
      `DOCKER_CERT_PATH=${directory} must be a directory with ca.pem, cert.pem and key.pem that can be read.`,
      { cause: error },
    );
  }
}

/** The few calls of the Docker Engine API that set-up makes, without the docker command. */
export class EngineApi {
  /** @param {NodeJS.ProcessEnv} env */
  constructor(env) {
    this.address = engineAddress(env);
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {{ body?: NodeJS.ReadableStream | string, type?: string, timeoutMs?: number, onText?: (text: string) => void }} [options]
   * @returns {Promise<Answer>}
   */
  request(method, path, { body, type = "application/json", timeoutMs = 10_000, onText } = {}) {
    const { tls, name: _, ...address } = this.address;
    return new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(timeoutMs);
      const headers = body === undefined ? {} : { "content-type": type };
      const request = (tls ? https : http).request({ ...address, method, path, headers, signal });
      request.on("error", reject);
      request.on("response", (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk) => {
          text += chunk;
          onText?.(chunk);
        });
        response.on("error", reject);
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
      });
      if (body === undefined || typeof body === "string") request.end(body);
      else body.on("error", reject).pipe(request);
    });
  }

  /**
   * The parsed answer; undefined for "not found". Any other refusal throws.
   * @param {string} method
   * @param {string} path
   * @param {{ body?: string, timeoutMs?: number }} [options]
   */
  async json(method, path, options) {
    const { status, body } = await this.request(method, path, options);
    if (status === 404) return undefined;
    if (status >= 400) throw new Error(`${method} ${path}: ${status} ${body.trim()}`);
    return body === "" ? {} : JSON.parse(body);
  }

  /** @returns {Promise<{ Version: string, ApiVersion: string, Arch: string }>} */
  version() {
    return this.json("GET", "/version", { timeoutMs: 5_000 });
  }

  /** Why the engine does not answer, in a word or two, or undefined when it does. */
  async trouble() {
    try {
      await this.version();
      return undefined;
    } catch (error) {
      const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
      return code ?? message;
    }
  }

  /** @param {string} name */
  image(name) {
    return this.json("GET", `/images/${encodeURIComponent(name)}/json`);
  }

  /**
   * Calls that answer with a stream of JSON lines (build, pull, import) report errors in the stream.
   * @param {string} path
   * @param {{ body?: NodeJS.ReadableStream, timeoutMs: number }} options
   * @returns {Promise<string>} what the stream said, as text
   */
  async progress(path, { body, timeoutMs }) {
    const options = body ? { body, type: "application/x-tar", timeoutMs } : { timeoutMs };
    const answer = await this.request("POST", path, options);
    if (answer.status >= 400) throw new Error(`${path}: ${answer.status} ${answer.body.trim()}`);
    const lines = answer.body.trim().split(/\r?\n/).filter(Boolean);
    const events = lines.map((line) => JSON.parse(line));
    const text = events.map((event) => event.stream ?? "").join("");
    const failed = events.find((event) => event.error);
    if (failed) throw new Error(`${text.slice(-3_000)}\n${failed.error}`);
    return text;
  }

  /**
   * Runs a command in a new container of an image until it ends.
   * @param {string} image
   * @param {string[]} command
   * @param {{ securityOpt?: string[] }} [options]
   * @returns {Promise<{ code: number, output: string }>}
   */
  async runIn(image, command, { securityOpt = [] } = {}) {
    const spec = {
      Image: image,
      Entrypoint: [],
      Cmd: command,
      User: "0",
      Tty: true,
      HostConfig: { NetworkMode: "none", SecurityOpt: securityOpt },
    };
    const container = await this.json("POST", "/containers/create", { body: JSON.stringify(spec) });
    const path = `/containers/${container.Id}`;
    try {
      await this.json("POST", `${path}/start`);
      const { StatusCode } = await this.json("POST", `${path}/wait`, { timeoutMs: 60_000 });
      const logs = await this.request("GET", `${path}/logs?stdout=1&stderr=1`);
      return { code: StatusCode, output: logs.body };
    } finally {
      await this.request("DELETE", `${path}?force=1&v=1`);
    }
  }
}
