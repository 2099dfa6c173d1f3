import { hasAnyOption, hasOption, operandsOf, valuesOfOption } from "../options.ts";
import {
  asks,
  type Call,
  changes,
  credentials,
  each,
  type Inspector,
  type Rules,
} from "../rule.ts";
import { readable, type Word } from "../word.ts";
import { endsSomething, looksOnly } from "./client-verbs.ts";
import { isRemotePlace } from "./places.ts";
import { judgeSentTexts } from "./service-texts.ts";
import { joinedBySpaces } from "./shells.ts";
import { fromEnvironment } from "./upstream.ts";

/** Other machines. Which hosts can be reached at all is decided elsewhere; this is about what is done there. */
export const network: Rules = {
  ...each("ssh mosh telnet rsh rlogin rexec autossh sshpass dbclient", remote),
  ...each(
    "scp sftp ftp lftp ncftp ncftpput ncftpget tftp tnftp yafc croc magic-wormhole wormhole smbclient smbget cadaver davfs2 " +
      "ffsend transfer bashupload gdrive dbxcli megaput mega-put uftp rcp kermit ascp pscp psftp winscp globus",
    remoteCopy,
  ),
  ...each(
    "nc ncat netcat socat openvpn wg-quick tor stunnel ngrok cloudflared localtunnel chisel tailscale bore " +
      "socket gs-netcat pwncat websocat httptunnel htc hts sshuttle frpc frps rathole zrok devtunnel pagekite inlets wstunnel gost dnscat iodine",
    connection,
  ),
  wg: (call, inspect) => {
    const [verb] = call.args;
    if (/^(?:genkey|genpsk|pubkey|show)$/.test(verb?.shape ?? ""))
      inspect.notes("makes or shows keys");
    else connection(call, inspect);
  },
  ...each("mail mailx sendmail mutt msmtp swaks", (_, inspect) => {
    inspect.sends();
    inspect.click("sends mail");
  }),
  ...each("ssh-add ssh-copy-id gpg-agent", credentials),
  "ssh-agent": (call, inspect) => {
    inspect.credentials("reads or uses credentials");
    inspect.mayRun(call.args);
  },
  ...each("nmap masscan", asks("scans the network")),
  ...each("tcpdump tshark", ({ args, program }, inspect) => {
    const recorded = valuesOfOption(args, { short: "r" }).length > 0;
    for (const file of valuesOfOption(args, { short: "w" })) inspect.writes(file);
    const starting = program === "tshark" ? /^-X|^--lua/ : /^-z|^--postrotate/;
    const starts = args.some(({ shape }) => starting.test(shape));
    if (!recorded || starts) inspect.click("scans the network");
    else inspect.notes(`${program} reads a recording`);
  }),
  ...each(
    "ping ping6 traceroute tracepath mtr dig nslookup host whois getaddrinfo",
    (_, inspect) => {
      inspect.notes("sends requests to the network");
      inspect.sends();
    },
  ),
  ...each("dog drill", changes("sends requests to the network")),
  "ssh-keygen": ({ args }, inspect) => {
    inspect.notes("makes or shows keys");
    if (args.some(({ shape }) => /^-[a-zA-Z]*[Dw]/.test(shape))) inspect.click("loads code");
  },
  gpg: gnupg,
  gpg2: gnupg,
  openssl: ({ args, program, input }, inspect) => {
    inspect.notes(`${program} may write files`);
    const verb = args[0]?.shape ?? "";
    if (/^(?:s_server|engine)$/.test(verb)) inspect.click("opens connections");
    if (verb === "s_client") {
      inspect.sends();
      if (carriesData(input)) {
        inspect.connects();
        inspect.click("sends data to another machine");
      }
    }
    for (const [index, { shape }] of args.entries())
      if (/^-(?:out|keyout|CAout)$/.test(shape) && args[index + 1])
        inspect.writes(args[index + 1] as Word);
    if (
      hasOption(args, { long: "engine" }) ||
      args.some(({ shape }) => /^-(?:engine|provider|provider-path)$/.test(shape))
    )
      inspect.click("loads code");
  },
  curl: transfer,
  wget: transfer,
  http: transfer,
  https: transfer,
  xh: transfer,
  ...each("aria2c axel fetch wget2 curlie wcurl lwp-download lwp-request", transfer),
  rsync,
};

/** A connection that is ended at once, or asked how the service is. */
const ASKS_STATE =
  /^(?:\\[nr]|\s)*(?:-[neE]+|%s|[QR]|quit|exit|logout|bye|noop|ping|info|help|stats?|stls|starttls|capability|e?hlo\b[^\\\n]*|(?:get|head|options)\s[^\\\n]*)?(?:(?:\\[nr]|\s)+[\w-]+: [^\\\n]*)*(?:\\[nr]|\s)*$/i;

/** More on a connection than an empty line, a letter that ends it or a question. */
function carriesData({ upstream, text, file }: Call["input"]): boolean {
  if (file && file.shape !== "/dev/null") return true;
  const says = upstream.every(
    ({ program, args }) =>
      /^(?:echo|printf|true|yes|:)$/.test(program) &&
      args.every(({ shape }) => ASKS_STATE.test(readable(shape))),
  );
  return !says || (text !== undefined && !ASKS_STATE.test(readable(text.shape)));
}

const KEY_OPTIONS = [
  { long: "export-secret-keys" },
  { long: "export-secret-subkeys" },
  { long: "export-secret-ssh-key" },
  { long: "delete-secret-keys" },
  { long: "delete-secret-and-public-key" },
  { long: "send-keys" },
  { long: "edit-key" },
  { long: "decrypt" },
];

function gnupg({ args }: Call, inspect: Inspector): void {
  inspect.notes("works with keys");
  // A public key is exported by a name that the secret one's begins with.
  const telling = args.filter(({ shape }) => shape !== "--export");
  if (hasAnyOption(telling, KEY_OPTIONS) || args.some(({ shape }) => shape === "-d"))
    inspect.credentials("reads or uses credentials");
}

const SENDS = [
  { short: "d", long: "data" },
  { long: "data-binary" },
  { long: "data-raw" },
  { long: "data-urlencode" },
  { long: "json" },
  { short: "F", long: "form" },
  { short: "T", long: "upload-file" },
  { short: "u", long: "user" },
  { short: "n", long: "netrc" },
  { long: "netrc-file" },
  { long: "post-data" },
  { long: "post-file" },
  { long: "body-data" },
  { long: "body-file" },
  { short: "K", long: "config" },
  { long: "use-askpass" },
];

function transfer(call: Call, inspect: Inspector): void {
  const { args, program, input } = call;
  inspect.notes("sends requests to the network");
  fetches(call, inspect);
  const [, target] = program === "lwp-download" ? operandsOf(args) : [];
  if (target) inspect.writes(target);
  if (program === "aria2c" && args.some(({ shape }) => /^--on-/.test(shape)))
    inspect.hides("starts a program when a download ends");
  for (const name of /^wget2?$/.test(program) ? WGET_FILES : CURL_FILES)
    for (const path of valuesOfOption(args, name)) inspect.writes(path);
  const local = targetsAreLocal(args);
  if (!local) judgeSentTexts(call, inspect);
  if (args.some(speaksOtherwise)) {
    inspect.connects();
    inspect.click("opens connections or tunnels");
  }
  const [method] = [{ short: "X", long: "request" }, { long: "method" }].flatMap((name) =>
    valuesOfOption(args, name),
  );
  if (!local) inspect.sends();
  if (!local && fromEnvironment(input)) inspect.phrase("sends the environment to another machine");
  const acts = method !== undefined && !/^(?:GET|HEAD|OPTIONS)$/.test(method.shape);
  const verb = /^(?:POST|PUT|PATCH|DELETE)$/i.test(operandsOf(args)[0]?.shape ?? "");
  const sends =
    program === "curl"
      ? curlSends(args)
      : hasAnyOption(
          args,
          SENDS.filter(({ long }) => /post|body|askpass/.test(long ?? "")),
        );
  for (const { shape } of valuesOfOption(args, { long: "unix-socket" }))
    if (/^\//.test(shape) && !/^\/(?:tmp|workspace)\/(?!.*\.\.)/.test(shape))
      inspect.click("talks to a server of the machine");
  const inQuery = hasAnyOption(args, [{ short: "G", long: "get" }]) && !acts;
  if (!local && (acts || verb || (sends && !inQuery)))
    inspect.click("sends data or credentials to another machine");
  if (args.some(({ shape }) => /authorization:|x-api-key|private-token/i.test(shape)) && !local)
    inspect.click("sends data or credentials to another machine");
}

/** `curl telnet://…`: such an address carries whatever comes in to another kind of service. */
function speaksOtherwise({ shape }: Word): boolean {
  return /^(?:telnet|gophers?|dict|smtps?|imaps?|pop3s?|ldaps?|mqtts?|rtsp|tftp|smbs?|wss?|rtmp[a-z]*):\/\/(?!localhost|127\.)/i.test(
    readable(shape),
  );
}

const CURL_FILES = [
  { short: "o", long: "output" },
  { long: "output-dir" },
  { short: "D", long: "dump-header" },
  { short: "c", long: "cookie-jar" },
  { long: "trace" },
  { long: "trace-ascii" },
  { long: "stderr" },
  { long: "libcurl" },
  { long: "etag-save" },
  { long: "hsts" },
];
const WGET_FILES = [
  { short: "O", long: "output-document" },
  { short: "P", long: "directory-prefix" },
  { short: "o", long: "output-file" },
  { short: "a", long: "append-output" },
];

/** Which of the options for a directory each program has. */
const DIRECTORY_OPTIONS: Readonly<Record<string, readonly number[]>> = {
  curl: [0],
  wget: [1],
  aria2c: [2],
};

/** Where a download lands: in a named file, or under the name that its address ends with. */
function fetches({ args, program }: Call, inspect: Inspector): void {
  const directory =
    [{ long: "output-dir" }, { short: "P", long: "directory-prefix" }, { short: "d", long: "dir" }]
      .filter((_, index) => DIRECTORY_OPTIONS[program]?.includes(index))
      .flatMap((name) => valuesOfOption(args, name))[0]?.shape ?? ".";
  const named = (/^wget2?$/.test(program) ? WGET_FILES : CURL_FILES).flatMap((name) =>
    valuesOfOption(args, name),
  );
  for (const { text, shape } of named)
    inspect.downloads({ text, shape: shape.startsWith("/") ? shape : `${directory}/${shape}` });
  const keepsName =
    program === "curl"
      ? args.some(({ shape }) => /^-[a-zA-Z]*[OJ]|^--remote-name/.test(shape))
      : /^(?:wget2?|aria2c|axel|fetch|wcurl|lwp-download)$/.test(program) ||
        hasAnyOption(args, [{ long: "download" }]) ||
        args.some(({ shape }) => shape === "-d");
  if (!keepsName || (program === "wget" && named.some(({ shape }) => shape === "-"))) return;
  const lists = args.some(({ shape }) =>
    /^-(?:[a-zA-Z]*[irJ]|-input-file|-recursive|-mirror|-content-disposition|-remote-header-name)/.test(
      shape,
    ),
  );
  if (lists) inspect.downloads(undefined);
  for (const { text, shape } of args) {
    const [, name] = /^[a-z]+:\/\/[^/]+\/(?:[^?#]*\/)?([^/?#]+)/.exec(readable(shape)) ?? [];
    if (name) inspect.downloads({ text, shape: `${directory}/${name}` });
  }
}

/** What runs on another machine is judged like what runs here, and asks at least for a click. */
function remote(call: Call, inspect: Inspector): void {
  if (call.args.every(({ shape }) => /^-[VQ]$/.test(shape)) && call.args.length > 0) return;
  if (call.program === "telnet" && operandsOf(call.args)[0]?.shape === "localhost") {
    inspect.notes("talks to a server of its own");
    return;
  }
  inspect.click("runs commands on another machine");
  if (call.program === "telnet") inspect.connects();
  inspect.sends();
  if (fromEnvironment(call.input)) inspect.phrase("sends the environment to another machine");
  const [, ...words] = operandsOf(call.args, { valued: "bcDEeFIiJLlmOopQRSWw" });
  if (words.length > 0) inspect.mayRun([joinedBySpaces(words), ...words]);
}

function remoteCopy({ input }: Pick<Call, "input">, inspect: Inspector): void {
  inspect.click("copies files from or to another machine");
  inspect.sends();
  if (input.text && CREDENTIALS_IN_TEXT.test(readable(input.text.shape)))
    inspect.credentials("reads or uses credentials");
  inspect.downloads(undefined);
}

const CREDENTIALS_IN_TEXT = /\.ssh\/|\.aws\/|\.netrc|id_(?:rsa|ed25519)|\.kube\/config|\.gnupg/;

const LOOKS = /^(?:status|version|ip|netcheck|--version|help)$/;

/** A look whether a port answers is free; everything else opens the sandbox. */
function connection({ args, program, input }: Call, inspect: Inspector): void {
  const words = operandsOf(args).map(({ shape }) => readable(shape));
  const hasVerbs = /^(?:tailscale|ngrok|cloudflared|zrok)$/.test(program);
  if (hasVerbs && (LOOKS.test(args[0]?.shape ?? "") || looksOnly(words))) {
    inspect.notes("looks at its connections");
    return;
  }
  if (hasVerbs && endsSomething(words))
    inspect.phrase(`${program} permanently deletes or stops something`);
  const probes = /^n/.test(program) && args.some(({ shape }) => /^-[a-z0-9]*z/.test(shape));
  const starts =
    args.some(({ shape }) => /^-[a-z]*[ecl]/.test(shape)) ||
    hasAnyOption(args, [
      { long: "exec" },
      { long: "sh-exec" },
      { long: "lua-exec" },
      { long: "listen" },
    ]);
  if (probes && !starts && input.upstream.length === 0 && !input.text && !input.file) {
    inspect.notes("checks whether a port answers");
    inspect.sends();
    return;
  }
  const [address = "", ...others] = words;
  const isOwn = isOwnMachine(address) && others.every((word) => /^\d+$/.test(word));
  if (/^(?:nc|ncat|netcat|websocat)$/.test(program) && isOwn && !starts) {
    inspect.notes("talks to a server of its own");
    return;
  }
  inspect.connects();
  if (fromEnvironment(input)) inspect.phrase("sends the environment to another machine");
  inspect.click("opens connections or tunnels");
}

function isOwnMachine(address: string): boolean {
  return /^(?:wss?:\/\/)?(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)(?:[:/]|$)/.test(address);
}

/** curl clusters letters, but values follow at once: `-sSd x` sends, `-o/tmp/d` does not. */
const CLUSTERED = new RegExp(
  `^-[sSfLkvigIN046]*[${SENDS.map(({ short = "" }) => short).join("")}]`,
);

function curlSends(args: readonly Word[]): boolean {
  const long = args.filter(({ shape }) => shape.startsWith("--"));
  return args.some(({ shape }) => CLUSTERED.test(shape)) || hasAnyOption(long, SENDS);
}

function targetsAreLocal(args: readonly Word[]): boolean {
  const addresses = args
    .map(({ shape }) => readable(shape))
    .filter((text) => /^(?:https?:\/\/|localhost|127\.|\[::1\]|:\d)/.test(text));
  return (
    addresses.length > 0 &&
    addresses.every((text) =>
      /^(?:https?:\/\/)?(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0)?(?::\d+)?(?:\/|$|\?)/.test(
        text,
      ),
    )
  );
}

function rsync({ args, input }: Call, inspect: Inspector): void {
  inspect.notes("copies files");
  if (hasAnyOption(args, [{ short: "e", long: "rsh" }, { long: "rsync-path" }, { long: "daemon" }]))
    inspect.click("makes rsync start another program");
  const operands = operandsOf(args, {
    valued: "efTB",
    valuedLong: [
      "exclude",
      "include",
      "exclude-from",
      "include-from",
      "files-from",
      "filter",
      "rsh",
    ],
  });
  if (operands.some(({ shape }) => /^[^/]*:/.test(shape))) remoteCopy({ input }, inspect);
  const destination = operands.at(-1);
  if (!destination || operands.length < 2) return;
  inspect.writes(destination);
  if (args.some(({ shape }) => /^--del/.test(shape))) {
    if (isRemotePlace(destination)) inspect.phrase("deletes files on another machine");
    else inspect.deletes(destination, { recursive: true });
  }
  if (args.some(({ shape }) => /^--remove-s/.test(shape)))
    for (const source of operands.slice(0, -1)) inspect.deletes(source, { recursive: true });
}
