import { hasAnyOption, valuesOfOption } from "./options.ts";
import type { Call } from "./rule.ts";
import { addressesOf, hostsInWords } from "./seen-hosts.ts";
import { hasMarks, isUnknown, readable, type Word } from "./word.ts";

/*
 * What a call may do once some host is open: without one, its effect could not leave the container. Each answer is why
 * people are asked. Reading stays free.
 */

const FETCHES =
  /^(?:curl|wget2?|aria2c|axel|wcurl|curlie|lwp-download|lwp-request|fetch|xhs?|https?)$/;
const HTTPIE = /^(?:https?|xhs?)$/;

/** More than people write into the address of a page. */
const LONG_ADDRESS_CHARS = 400;
const LONG_QUERY_CHARS = 160;

/** `$(cat key | base64)` once it has run: a long piece that is no hexadecimal digest. */
const ENCODED =
  /[?&=/](?![0-9a-f]+(?:[/?&=.]|$))(?=[^/?&=]*\d)(?=[^/?&=]*[A-Z])[A-Za-z0-9+%_-]{48,}={0,2}/;

/** Why a call asks where a host is open. */
export function objectionsOnline(call: Call, { isKnown }: { readonly isKnown: boolean }): string[] {
  const { program } = call;
  return [
    ...(FETCHES.test(program) ? aboutFetch(call) : []),
    ...(HTTPIE.test(program) ? aboutHttpie(call) : []),
    ...aboutScript(call),
    ...aboutClient(call),
    ...(isKnown ? [] : aboutStranger(call)),
  ];
}

function aboutFetch(call: Call): string[] {
  const { args, program } = call;
  const found: string[] = [];
  for (const address of addressesOf(call)) {
    const text = readable(address.shape);
    if (hasMarks(address)) found.push("puts data that is known only at run time into an address");
    else if (mayCarryData(text)) found.push("may carry data in a long address");
  }
  const headers = [
    { short: "H", long: "header" },
    { short: "A", long: "user-agent" },
    { short: "e", long: "referer" },
    { short: "b", long: "cookie" },
    { short: "U", long: "user-agent" },
    { long: "url-query" },
    { long: "proxy-header" },
    { short: "Q", long: "quote" },
  ].flatMap((name) => (program === "curl" || name.short !== "H" ? valuesOfOption(args, name) : []));
  if (headers.some((word) => hasMarks(word) || /^[@<]/.test(word.shape) || word.shape.length > 300))
    found.push("may carry data in a header");
  if (program === "curl" && carriesInQuery(args)) found.push("puts data into an address");
  if (hasAnyOption(args, program === "curl" ? CURL_CARRIES : CARRIES))
    found.push("sends data or credentials to an open host");
  if (/^wget2?$/.test(program) && hasAnyOption(args, WGET_CARRIES))
    found.push("sends data or credentials to an open host");
  if (hasAnyOption(args, /^(?:wget2?|aria2c)$/.test(program) ? LISTS_OF_WGET : LISTS))
    found.push("takes its addresses from a file");
  if (args.some(({ shape }) => /^--(?:expand-|variable)/.test(shape)))
    found.push("puts data that is known only at run time into a request");
  if (
    program === "lwp-request" &&
    hasAnyOption(args, [{ short: "m" }, { short: "c" }, { short: "C" }])
  )
    found.push("sends data or credentials to an open host");
  return found;
}

/** `--get -d q@file`: what would be a body becomes a part of the address. */
function carriesInQuery(args: readonly Word[]): boolean {
  const data = [
    { short: "d", long: "data" },
    { long: "data-urlencode" },
    { long: "data-raw" },
    { long: "data-binary" },
    { long: "data-ascii" },
    { long: "url-query" },
  ].flatMap((name) => valuesOfOption(args, name));
  return data.some(
    (word) => hasMarks(word) || /^[\w-]*@/.test(word.shape) || word.shape.length > LONG_QUERY_CHARS,
  );
}

export function mayCarryData(address: string): boolean {
  const query = /\?([^#]*)/.exec(address)?.[1] ?? "";
  return (
    address.length > LONG_ADDRESS_CHARS || query.length > LONG_QUERY_CHARS || ENCODED.test(address)
  );
}

const CARRIES = [
  { long: "oauth2-bearer" },
  { long: "aws-sigv4" },
  { long: "proxy-user" },
  { long: "cert" },
  { long: "key" },
  { long: "mail-from" },
  { long: "mail-rcpt" },
  { long: "quote" },
  { long: "cookie" },
  { long: "telnet-option" },
];

const CURL_CARRIES = [...CARRIES, { short: "b" }, { short: "Q" }, { short: "E" }];

const WGET_CARRIES = [
  { long: "load-cookies" },
  { long: "user" },
  { long: "password" },
  { long: "http-user" },
  { long: "http-password" },
  { long: "ftp-user" },
  { long: "ftp-password" },
  { long: "certificate" },
  { long: "private-key" },
  { long: "post-data" },
  { long: "post-file" },
  { short: "e", long: "execute" },
  { long: "config" },
  { long: "use-askpass" },
  { long: "header" },
];

/** Their addresses are not in the command. */
const LISTS = [{ long: "input-file" }, { long: "config" }];
const LISTS_OF_WGET = [...LISTS, { short: "i" }];

/** `http example.com name=x` is a POST, and so is anything that is piped in. */
function aboutHttpie({ args, input }: Call): string[] {
  const isItem = ({ shape }: Word) =>
    !shape.startsWith("-") &&
    /^[^\s/?#]*?(?::=@?|=@|@|(?<![=])=(?!=))/.test(shape) &&
    !/^[a-z]+:\/\//i.test(shape);
  const method = args.find(
    ({ shape }) => /^[A-Za-z]{3,8}$/.test(shape) && shape === shape.toUpperCase(),
  );
  const acts = method !== undefined && !/^(?:GET|HEAD|OPTIONS)$/.test(method.shape);
  const isPiped = input.upstream.length > 0 || input.text !== undefined || input.file !== undefined;
  const logsIn = hasAnyOption(args, [
    { short: "a", long: "auth" },
    { long: "raw" },
    { short: "f", long: "form" },
    { long: "multipart" },
  ]);
  return acts || args.some(isItem) || isPiped || logsIn || args.some(isUnknown)
    ? ["sends data or credentials to an open host"]
    : [];
}

/** Names of scripts and tasks that usually act on the world outside. */
const OUTWARD =
  /(?:^|[\s/._:-])(?:deploy|publish|release|rollout|rollback|upload|push|send|notify|post|submit|announce|provision|promote|destroy|teardown|sync|mirror|export|report|webhook|backup|ship|tweet|email|mail)(?:er|ing|s|ed)?(?:$|[\s/._:-])/i;

const RUNS_SCRIPTS =
  /^(?:(?:ba|da|z|k|fi)?sh|source|\.|python[\d.]*|pypy3?|node|nodejs|deno|bun|tsx|ts-node|ruby|perl|php|lua|Rscript|java|go|make|gmake|just|task|invoke|inv|fab|rake|npm|pnpm|yarn|npx|gulp|grunt|ant|mage|nox|tox|doit|poe|thor|cake|jake)$/;

/** A file or a task of the project whose name says that it reaches out. */
function aboutScript({ program, written, args }: Call): string[] {
  const isOwn = written.includes("/") && !/^\/(?:usr\/)?s?bin\//.test(written);
  const names = [
    ...(isOwn ? [written] : []),
    ...(isOwn || RUNS_SCRIPTS.test(program)
      ? args
          .filter(({ shape }) => !shape.startsWith("-"))
          .slice(0, 3)
          .map(({ shape }) => readable(shape))
      : []),
  ];
  // Code on the command line is judged as code.
  const named = names.find((name) => name.length < 200 && !/\s/.test(name) && OUTWARD.test(name));
  return named === undefined ? [] : [`${named} probably acts on an open host`];
}

/** They exist to send: results, reports, load or copies. */
const SENDS =
  /^(?:k6|locust|hurl|newman|bru|artillery|jmeter|gatling|bzt|drill|tsung|schemathesis|dredd|codecov|codecovcli|coveralls|codacy|snyk|sonar-scanner|sonar-scanner-cli|borg|restic|duplicity|duplicacy|kopia|rdiff-backup|cvs|rollbar|bugsnag|datadog-ci|honeybadger|newrelic|circleci|buildkite-agent|argocd|act|semgrep)$/;
const LOOKS =
  /^(?:--?)?(?:help|version|list|ls|info|status|diff|log|test|scan|check|validate|lint|-h|-V)$/;
/** They start code of their own, which an address in their words is meant for. */
const HOLDS_CODE =
  /^(?:emacs|emacsclient|n?vim?|ex|ed|gvim|octave|maxima|sage|gdb|lldb|awk|gawk|mawk|sed)$/;

function aboutClient({ program, args }: Call): string[] {
  const [verb] = args.filter(({ shape }) => !shape.startsWith("-"));
  if (SENDS.test(program) && !LOOKS.test((verb ?? args[0])?.shape ?? ""))
    return [`${program} sends data to an open host`];
  if (HOLDS_CODE.test(program) && args.some(({ shape }) => /\bhttps?:\/\/|\/inet\//.test(shape)))
    return [`${program} is given an address and code`];
  if (startsFetched(program, args)) return [`${program} runs a program that it downloads`];
  const fetchesCode = args.some(({ shape }) =>
    /^(?:[\w.-]+\s*@\s*)?git\+|^(?:github|gitlab|bitbucket):/.test(shape),
  );
  if (fetchesCode && /^(?:pip[\d.]*|uv|pipx|npm|pnpm|yarn|bun|python[\d.]*)$/.test(program))
    return [`${program} runs code of a repository when it installs it`];
  return [];
}

/** `npx -y tool`, `pnpm dlx tool`: without these words they run what is installed, or ask first. */
function startsFetched(program: string, args: readonly Word[]): boolean {
  const [first, second] = args.map(({ shape }) => shape);
  if (/^(?:uvx|bunx|pnpx)$/.test(program)) return !first?.startsWith("--");
  if (program === "npx")
    return (
      args.some(({ shape }) => /^(?:-y|--yes|-p|--package(?:=.*)?)$/.test(shape)) ||
      /.@[\w.^~-]+$/.test(first ?? "")
    );
  if (program === "pipx") return first === "run";
  if (program === "uv") return first === "tool" && second === "run";
  if (!/^(?:npm|pnpm|yarn|bun)$/.test(program)) return false;
  return (
    /^(?:dlx|create|x)$/.test(first ?? "") ||
    (/^(?:init|exec)$/.test(first ?? "") &&
      /^(?:[\w@]|-y|--yes)/.test(second ?? "") &&
      second !== "-y") ||
    (first === "exec" && args.some(({ shape }) => /^(?:-y|--yes)$/.test(shape)))
  );
}

/** Nobody knows what it does at an address that it is given. */
function aboutStranger(call: Call): string[] {
  const [first] = hostsInWords(call);
  if (call.program === "hg" && /^(?:clone|pull|incoming|identify)$/.test(call.args[0]?.shape ?? ""))
    return [];
  return first === undefined
    ? []
    : [`${call.program} may change something at ${first.host}, and the guard does not know it`];
}
