import { hasAnyOption, hasOption, operandsOf, valuesOfOption } from "../options.ts";
import { asks, type Call, changes, each, type Inspector, type Rules } from "../rule.ts";
import { readable, type Word } from "../word.ts";

/** Other machines. Which hosts can be reached at all is decided elsewhere; this is about what is done there. */
export const network: Rules = {
  ...each(
    "ssh mosh telnet rsh rlogin rexec autossh sshpass dbclient",
    asks("runs commands on another machine"),
  ),
  ...each(
    "scp sftp ftp lftp ncftp tftp croc magic-wormhole wormhole",
    asks("copies files from or to another machine"),
  ),
  ...each(
    "nc ncat netcat socat openvpn wg wg-quick tor stunnel ngrok cloudflared localtunnel chisel tailscale bore",
    asks("opens connections or tunnels"),
  ),
  ...each("mail mailx sendmail mutt msmtp swaks", asks("sends mail")),
  ...each("ssh-add ssh-agent ssh-copy-id gpg-agent", asks("reaches for credentials")),
  ...each("nmap masscan tcpdump tshark", asks("looks into the network")),
  ...each(
    "ping ping6 traceroute tracepath mtr dig nslookup host whois getaddrinfo",
    changes("asks the network"),
  ),
  "ssh-keygen": (_, inspect) => inspect.medium("makes or shows keys"),
  gpg: gnupg,
  gpg2: gnupg,
  openssl: ({ args, program }, inspect) => {
    inspect.medium(`${program} may write files`);
    if (/^(?:s_client|s_server|engine)$/.test(args[0]?.shape ?? ""))
      inspect.high("opens connections");
    if (
      hasOption(args, { long: "engine" }) ||
      args.some(({ shape }) => /^-(?:engine|provider|provider-path)$/.test(shape))
    )
      inspect.high("loads code");
  },
  curl: transfer,
  wget: transfer,
  http: transfer,
  https: transfer,
  xh: transfer,
  aria2c: transfer,
  rsync,
};

function gnupg({ args }: Call, inspect: Inspector): void {
  inspect.medium("works with keys");
  if (
    args.some(({ shape }) =>
      /^--(?:export-secret|delete-secret|send-key|edit-key)|^(?:-d|--decrypt)$/.test(shape),
    )
  )
    inspect.high("reaches for credentials");
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
  { long: "unix-socket" },
];

function transfer({ args, program }: Call, inspect: Inspector): void {
  inspect.medium("asks the network");
  for (const name of program === "wget" ? WGET_FILES : CURL_FILES)
    for (const path of valuesOfOption(args, name)) inspect.writes(path);
  const local = targetsAreLocal(args);
  const [method] = [{ short: "X", long: "request" }, { long: "method" }].flatMap((name) =>
    valuesOfOption(args, name),
  );
  const acts = method !== undefined && !/^(?:GET|HEAD|OPTIONS)$/.test(method.shape);
  const verb = /^(?:POST|PUT|PATCH|DELETE)$/.test(operandsOf(args)[0]?.shape ?? "");
  const sends =
    program === "curl"
      ? hasExact(args, SENDS)
      : hasAnyOption(
          args,
          SENDS.filter(({ long }) => /post|body|askpass/.test(long ?? "")),
        );
  if (!local && (acts || verb || sends))
    inspect.high("sends data or credentials to another machine");
  if (args.some(({ shape }) => /authorization:|x-api-key|private-token/i.test(shape)) && !local)
    inspect.high("sends data or credentials to another machine");
}

const CURL_FILES = [
  { short: "o", long: "output" },
  { long: "output-dir" },
  { short: "D", long: "dump-header" },
  { short: "c", long: "cookie-jar" },
];
const WGET_FILES = [
  { short: "O", long: "output-document" },
  { short: "P", long: "directory-prefix" },
  { short: "o", long: "output-file" },
  { short: "a", long: "append-output" },
];

/** curl clusters letters, but values follow at once: `-sSd x` sends, `-o/tmp/d` does not. */
function hasExact(args: readonly Word[], names: typeof SENDS): boolean {
  return names.some((name) =>
    hasOption(
      args.filter(
        ({ shape }) =>
          shape.startsWith("--") ||
          new RegExp(`^-[sSfLkvigIN046]*${name.short ?? "\\b\\B"}`).test(shape),
      ),
      name,
    ),
  );
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

function rsync({ args }: Call, inspect: Inspector): void {
  inspect.medium("copies files");
  if (hasAnyOption(args, [{ short: "e", long: "rsh" }, { long: "rsync-path" }, { long: "daemon" }]))
    inspect.high("has rsync start another program");
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
  if (operands.some(({ shape }) => /^[^/]*:/.test(shape)))
    inspect.high("copies files from or to another machine");
  const destination = operands.at(-1);
  if (!destination || operands.length < 2) return;
  inspect.writes(destination);
  if (hasOption(args, { long: "delete" })) inspect.deletes(destination, { recursive: true });
}
