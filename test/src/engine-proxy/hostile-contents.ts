import { execRequest } from "../../../src/workspace/docker/engine-requests.ts";
import { unpackInto } from "../../../src/workspace/docker/exec-commands.ts";
import {
  CONTAINER,
  CONTAINER_ID,
  EXEC_ID,
  FOREIGN,
  INSTANCE,
  OTHER_BOT,
  VOLUME,
  WORKSPACE,
} from "../../support/recording-engine.ts";
import {
  ATTACH_QUERY,
  attachBody,
  create,
  exec,
  golden,
  inText,
  OWN_LABEL,
  type Row,
  raw,
  rootExec,
  startBody,
  UPGRADE,
  withHost,
} from "./hostile-requests.ts";

const agentExec = JSON.stringify(execRequest(unpackInto("/workspace")));
const EXEC = `POST /containers/${CONTAINER}/exec`;

/** Well-formed requests for what the bot never asks for, class by class. */
export const HOSTILE_CONTENTS: readonly Row[] = [
  // Keys and values that Go reads in another way than JavaScript.
  ["a full-width letter in a key", inText('"Privileged":false', '"Ｐrivileged":true')],
  ["a dotless i in a key", inText('"Privileged":false', '"Prıvıleged":true')],
  ["a long s in Mounts", inText('"Mounts"', '"Mountſ":[],"Mounts"')],
  ["a long s in Devices", inText('"Mounts"', '"Deviceſ":[{"PathOnHost":"/dev/sda"}],"Mounts"')],
  ["a Kelvin sign in NetworkMode beside it", inText('"Mounts"', '"NetworKMode":"host","Mounts"')],
  ["a zero-width space in a key", inText('"Privileged":false', '"Privileged\u200b":true')],
  ["a combining accent in a value", inText('"NetworkMode":"none"', '"NetworkMode":"none\u0301"')],
  ["__proto__ in the HostConfig", inText('"Mounts"', '"__proto__":{"Privileged":true},"Mounts"')],
  [
    "constructor.prototype",
    inText('"Mounts"', '"constructor":{"prototype":{"Privileged":true}},"Mounts"'),
  ],
  ["toJSON", inText('{"Image"', '{"toJSON":"x","Image"')],
  ["memory as text", inText('"Memory":2147483648', '"Memory":"2147483648"')],
  ["memory with an exponent", inText('"Memory":2147483648', '"Memory":2.147483648e9')],
  ["memory one off by precision", inText('"Memory":2147483648', '"Memory":2147483648.0000000001')],
  ["memory as a big number", inText('"Memory":2147483648', '"Memory":18446744073709551616')],
  ["a negative zero", inText('"StopTimeout":2', '"StopTimeout":-0')],
  ["a number with a leading zero", inText('"StopTimeout":2', '"StopTimeout":02')],
  ["a capability as one text", inText('"CapAdd":[', '"CapAdd":"ALL","x":[')],
  ["a body in UTF-8 that is longer than it has to be", create(golden.replace("none", "\xc0\xae"))],
  ["a lone carriage return in the body", create(golden.replace(",", ",\r"))],
  ["no log driver", withHost({ LogConfig: { Type: "json-file", Config: {} } })],
  ["storage options", withHost({ StorageOpt: { size: "1T" } })],
  ["links", withHost({ Links: [`${FOREIGN}:db`] })],
  ["hosts of its own", withHost({ ExtraHosts: ["host.docker.internal:host-gateway"] })],
  ["a file for its id", withHost({ ContainerIDFile: "/etc/cron.d/x" })],
  ["an automatic removal", withHost({ AutoRemove: true })],
  ["an oom score of its own", withHost({ OomScoreAdj: -1000 })],
  ["a priority of its own", withHost({ CpuShares: 1_000_000 })],
  ["a runtime for realtime", withHost({ CpuRealtimeRuntime: 950_000 })],
  ["the exec of an array", raw(EXEC, `[${rootExec}]`)],
  ["the exec of a text", raw(EXEC, JSON.stringify(rootExec))],
  ["an exec with __proto__", raw(EXEC, rootExec.replace("{", '{"__proto__":{"Privileged":true},'))],
  ["an exec as root by number", exec({ User: "0" })],
  ["an exec as root by name", exec({ User: "root" })],
  ["an exec as a group", exec({ User: "0:999" })],
  ["an exec with an empty argument more", exec({ Cmd: ["/opt/deckhand/init", "root", ""] })],
  ["an exec with its command as a text", exec({ Cmd: "/opt/deckhand/init root" })],
  ["an exec with nothing to run", exec({ Cmd: [] })],
  ["an exec with a way up", exec({ Cmd: ["/opt/deckhand/../../bin/sh", "root"] })],
  ["an exec with a size", exec({ ConsoleSize: [1, 1] })],
  [
    "a start of a process with a size",
    raw(`POST /exec/${EXEC_ID}/start`, startBody.replace("}", ',"ConsoleSize":[1,1]}'), UPGRADE),
  ],

  // Other people's containers, by every name that an engine takes.
  ...[
    CONTAINER_ID,
    CONTAINER_ID.slice(0, 12),
    CONTAINER_ID.slice(0, 1),
    "deckhand",
    `deckhand-${INSTANCE}`,
    `${CONTAINER.slice(0, -1)}`,
    `${CONTAINER}0`,
    CONTAINER.toUpperCase(),
    `deckhand-${INSTANCE}-pool-${WORKSPACE}0`,
    `deckhand-${INSTANCE}-POOL-${WORKSPACE}`,
    OTHER_BOT,
    FOREIGN,
  ].flatMap((name): Row[] => [
    [`the update of ${name}`, raw(`POST /containers/${name}/update`, '{"Memory":0}')],
    [`a process of the agent's in ${name}`, raw(`POST /containers/${name}/exec`, agentExec)],
    [
      `a stream to ${name} that ends it`,
      raw(`POST /containers/${name}/attach?${ATTACH_QUERY}`, attachBody, `${UPGRADE}X: y\r\n`),
    ],
    [`the log of ${name}`, raw(`GET /containers/${name}/logs?follow=1&stdout=1&stderr=1`)],
    [
      `a file of ${name}`,
      raw(`GET /containers/${name}/archive?path=%2Fproc%2F1%2Froot%2Fetc%2Fshadow`),
    ],
    [
      `a file into ${name}`,
      raw(`PUT /containers/${name}/archive?path=%2Fworkspace%2Flink%2F..`, "x".repeat(512)),
    ],
    [
      `the web socket of ${name}`,
      raw(
        `GET /containers/${name}/attach/ws?stream=1&stdin=1`,
        "",
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eA==\r\n",
      ),
    ],
    [`an image of ${name}`, raw(`POST /commit?container=${name}&changes=USER%200`, "{}")],
  ]),

  // Volumes.
  ...[
    `{"Name":"${VOLUME}","Driver":"local"}`,
    `{"Name":"${VOLUME}","DriverOpts":{}}`,
    `{"Name":"${VOLUME}","DriverOpts":{"type":"nfs","o":"addr=10.0.0.1,rw","device":":/"}}`,
    `{"Name":"${VOLUME}","DriverOpts":{"type":"overlay","o":"lowerdir=/,upperdir=/x,workdir=/y","device":"overlay"}}`,
    `{"Name":"${VOLUME}","name":"database"}`,
    `{"name":"${VOLUME}"}`,
    `{"Name":"${VOLUME}\\u0000"}`,
    `{"Name":"../${VOLUME}"}`,
    `{"Name":"${VOLUME}","Labels":null}`,
    `{"Name":"${VOLUME}","Labels":{"deckhand.instance":"0123456789ab","deckhand.workspace":"${WORKSPACE}"}}`,
    `{"Name":"${VOLUME}","ClusterVolumeSpec":{"Group":"x"}}`,
    `{"Name":"${VOLUME.replace(INSTANCE, "0123456789ab")}"}`,
    "{}",
  ].map(
    (body): Row => [
      `the volume ${body.replace(VOLUME, "NAME")}`,
      raw("POST /volumes/create", body),
    ],
  ),

  // What looks at other people's things.
  ...[
    `GET /events?filters=${OWN_LABEL}`,
    `GET /events?since=0&until=1`,
    `GET /system/df?type=container`,
    `GET /containers/${CONTAINER}/stats?stream=false`,
    `GET /containers/${CONTAINER}/top?ps_args=aux`,
    `GET /images/deckhand-sandbox/json?manifests=true`,
    `GET /images/sha256:${"b".repeat(64)}/json`,
    `GET /exec/${"0".repeat(64)}/json`,
    `POST /containers/${CONTAINER}/copy`,
  ].map((line): Row => [line.replaceAll(CONTAINER, "NAME"), raw(line)]),
];
