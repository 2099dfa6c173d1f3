import { CONTAINER, FOREIGN, OTHER_BOT } from "../../support/recording-engine.ts";
import {
  ATTACH_REQUEST,
  attachBody,
  CREATE,
  golden,
  OWN_LABEL,
  type Row,
  raw,
  UPGRADE,
} from "./hostile-requests.ts";

const START = `POST /containers/${CONTAINER}/start`;
const EXEC = `POST /containers/${CONTAINER}/exec`;
const RENAME = `POST /containers/${CONTAINER}/rename`;
const REMOVE = `DELETE /containers/${CONTAINER}`;

/** A request whose headers are these lines and no others. */
function lines(line: string, headers: readonly string[], body = ""): string {
  return `${[`${line} HTTP/1.1`, ...headers].join("\r\n")}\r\n\r\n${body}`;
}

/** Headers behind which another one may be lost. */
const filler = (count: number) => Array.from({ length: count }, () => "a:");
const chunk = (body: string) => `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const lengthOf = (body: string) => `Content-Length: ${Buffer.byteLength(body)}`;
const upgradeLines = UPGRADE.trimEnd().split("\r\n");

/** Requests that a parser in front of the engine and the engine itself could read in two ways, class by class. */
export const HOSTILE_FRAMING: readonly Row[] = [
  // Headers that a parser drops, because there are too many of them.
  ...[30, 100, 999, 1_000, 1_001, 2_000, 2_500].flatMap((count): Row[] => [
    [
      `chunks announced behind ${count} headers`,
      lines(
        `POST ${CREATE}`,
        ["Host: x", ...filler(count), "Transfer-Encoding: chunked"],
        chunk(golden),
      ),
    ],
    [
      `trailers announced behind ${count} headers`,
      lines(START, ["Host: x", ...filler(count), "Trailer: X"]),
    ],
  ]),
  [
    "an upgrade behind 1,000 headers",
    lines(
      ATTACH_REQUEST,
      ["Host: x", lengthOf(attachBody), ...filler(1_000), ...upgradeLines],
      attachBody,
    ),
  ],
  ["a host behind 2,000 headers", lines(START, [...filler(2_000), "Host: x"])],
  ["a thousand headers and nothing else wrong", lines("GET /info", ["Host: x", ...filler(1_000)])],

  // Two lengths of one body.
  ...[
    "Transfer-Encoding: chunked",
    "Transfer-Encoding:\tchunked",
    "Transfer-Encoding: \x0bchunked",
    "Transfer-Encoding: xchunked",
    "Transfer-Encoding: chunked, identity",
    "Transfer-Encoding: identity, chunked",
    'Transfer-Encoding: "chunked"',
    "Transfer-Encoding:",
    "transfer-encoding: chunked\r\ntransfer-encoding: identity",
    "X: y\r\n Transfer-Encoding: chunked",
    "Transfer-Encoding\r\n : chunked",
    "\tTransfer-Encoding: chunked",
  ].flatMap((header): Row[] => [
    [
      `a length and ${JSON.stringify(header)}`,
      lines(`POST ${CREATE}`, ["Host: x", lengthOf(golden), header], golden),
    ],
    [
      `an upgrade, a length and ${JSON.stringify(header)}`,
      lines(ATTACH_REQUEST, ["Host: x", lengthOf(attachBody), header, ...upgradeLines], attachBody),
    ],
  ]),
  ...[
    "Content-Length:\r\n 2",
    "Content-Length: 2\r\n 2",
    "Content-Length: 2 2",
    "Content-Length: 0x2",
    "Content-Length: 2;x",
    "Content-Length: 2.0",
    "Content-Length: ２",
    "Content-Length: 18446744073709551618",
    "Content-Length: -0",
    "Content-Length : 2",
    "Content-Length\x00: 2",
    "Content-Length: \x00002",
  ].map((header): Row => [JSON.stringify(header), lines(EXEC, ["Host: x", header], "{}")]),

  // Headers that are folded or end in another way than the others.
  ["a folded host", lines(START, ["Host:", " x"])],
  ["a fold in front of every header", `${START} HTTP/1.1\r\n Host: x\r\nHost: x\r\n\r\n`],
  ["a header folded by a tab", lines(START, ["Host: x", "X: a", "\tb"])],
  ["a carriage return in a value", lines(START, ["Host: x", "X: a\rb: c"])],
  ["a form feed for a line's end", lines(START, ["Host: x\fX: y"])],
  ["a header name of two words", lines(START, ["Host: x", "Content Length: 2"])],
  [
    "a header name with a letter that is no ASCII",
    lines(START, ["Host: x", "Transfer-Encodıng: chunked"]),
  ],

  // Request lines.
  ...[
    `POST http://docker/containers/${CONTAINER}/start`,
    `POST http://docker@evil/containers/${CONTAINER}/start`,
    `POST //docker/containers/${CONTAINER}/start`,
    `POST docker:2375`,
    `POST *`,
    `POST ?/containers/${CONTAINER}/start`,
    `POST containers/${CONTAINER}/start`,
    `POST \\containers\\${CONTAINER}\\start`,
    `POST /containers/${CONTAINER}/start?&`,
    `POST /containers/${CONTAINER}/start%3f`,
    `POST /containers/${CONTAINER}/start%0d%0aHost:%20x`,
    `POST /containers/${CONTAINER}/%73tart`,
    `POST /containers/${CONTAINER}/%2573tart`,
    `POST /containers/${CONTAINER}%252fstart`,
    `POST /containers/${CONTAINER}/%u0073tart`,
    `POST /containers/${CONTAINER}/st%c1%a1rt`,
    `POST /containers/${CONTAINER}/..%252f..%252fbuild`,
    `POST /containers/${FOREIGN}%00/start`,
    `POST /containers/${CONTAINER}%2c${FOREIGN}/start`,
    `POST /v1.41/containers/${CONTAINER}/start`,
    `POST /v1.24/containers/${CONTAINER}/start`,
    `POST /v1.41../containers/${CONTAINER}/start`,
    `POST /v1.4１/containers/${CONTAINER}/start`,
    `POST /v0/containers/${CONTAINER}/start`,
    `POST /_ping/../containers/${CONTAINER}/start`,
    `POST /libpod/containers/${CONTAINER}/start`,
    `HEAD /containers/${CONTAINER}/json`,
    `QUERY /containers/json?all=true&filters=${OWN_LABEL}`,
    `M-SEARCH /containers/${CONTAINER}/start`,
  ].map((line): Row => [line.replace(CONTAINER, "NAME"), raw(line)]),
  [
    "HTTP/2 with its settings and a request",
    `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00${raw(START)}`,
  ],
  [
    "an upgrade to HTTP/2 of a start",
    raw(
      START,
      "",
      "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n",
    ),
  ],
  ["a start with two versions", `${START} HTTP/1.1 HTTP/1.1\r\nHost: x\r\n\r\n`],
  ["a start of HTTP/1.1 in small letters", `${START} http/1.1\r\nHost: x\r\n\r\n`],

  // Parameters.
  ...[
    `${RENAME}?name=${CONTAINER}&name=${CONTAINER}`,
    `${RENAME}?name=${CONTAINER}&NAME=x`,
    `${RENAME}?name[]=${CONTAINER}`,
    `${RENAME}?name=${CONTAINER}%26name=x`,
    `${RENAME}?name=${CONTAINER}%00`,
    `${RENAME}?name=+${CONTAINER}`,
    `${RENAME}?name=${CONTAINER}#x`,
    `${RENAME}?name=../${CONTAINER}`,
    `${RENAME}?name=${FOREIGN}`,
    `${RENAME}?name=${OTHER_BOT}`,
    `${RENAME}?name=%EF%BD%84eckhand${CONTAINER.slice(8)}`,
    `${REMOVE}?force=true&force=false`,
    `${REMOVE}?force=true&constructor=x`,
    `${REMOVE}?force=true&__proto__[v]=true`,
    `${REMOVE}?force=true&link=true`,
    `${REMOVE}?force=TRUE`,
    `${REMOVE}?force=true%20`,
    `${START}?detachKeys=a`,
    `POST /containers/${CONTAINER}/kill?signal=9`,
    `POST /containers/${CONTAINER}/stop?signal=USR1`,
    `GET /info?x=`,
    `GET /volumes?filters=${OWN_LABEL}&filters[]=x`,
    `GET /volumes?Filters=${OWN_LABEL}`,
    `GET /containers/json?all=true&filters=${OWN_LABEL}&limit=1`,
    `GET /containers/json?all=1&filters=${OWN_LABEL}`,
    `GET /containers/json?filters=${OWN_LABEL}`,
    `GET /containers/json?all=true&filters=${encodeURIComponent('{"label":["deckhand.instance"]}')}`,
    `GET /containers/json?all=true&filters=${encodeURIComponent('{"name":["x"]}')}`,
    `GET /containers/${CONTAINER}/json?size=true`,
  ].map((line): Row => [line.replaceAll(CONTAINER, "NAME"), raw(line)]),

  // Streams: other words for an upgrade.
  ...[
    "Connection: Upgrade\r\nUpgrade: tcp/1.0\r\n",
    "Connection: Upgrade\r\nUpgrade: Tcp\r\n",
    "Connection: Upgrade\r\nUpgrade: tcp,tcp\r\n",
    "Connection: Upgrade\r\nUpgrade: h2c, tcp\r\n",
    "Connection: Upgrade\r\nUpgrade: raw\r\n",
    "Connection: Upgrade\r\nUpgrade:\r\n",
    "Connection: Upgrade\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n",
    "Connection: Upgrade\r\nUpgrade: tcp\r\nUpgrade: tcp\r\n",
    "Connection: close\r\nUpgrade: tcp\r\n",
  ].map(
    (headers): Row => [
      `a stream by ${JSON.stringify(headers)}`,
      raw(ATTACH_REQUEST, attachBody, headers),
    ],
  ),
  ...[
    "POST /session",
    "POST /grpc",
    "POST /images/load",
    "GET /events",
    "GET /_ping",
    START,
  ].flatMap((line): Row[] => [
    [`${line.replace(CONTAINER, "NAME")} as a stream`, raw(line, "", UPGRADE)],
    [
      `${line.replace(CONTAINER, "NAME")} by h2c`,
      raw(
        line,
        "",
        "Connection: Upgrade\r\nUpgrade: h2c\r\nX-Docker-Expose-Session-Grpc-Method: /moby.filesync.v1.FileSync/DiffCopy\r\n",
      ),
    ],
  ]),
];
