import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../src/redaction/redactor.ts";

const { redact, redactDeep } = createRedactor({ secrets: {} });

/** Made here and not written out, so that nobody's scanner takes this file for a leak. */
const mixed = (length: number) => "a1B2c3D4e5F6g7H8".repeat(20).slice(0, length);
const lower = (length: number) => "abcdef".repeat(20).slice(0, length);
const hex = (length: number) => "0a1b2c3d4e5f".repeat(20).slice(0, length);
const pem = Array.from({ length: 6 }, () => `MIIE${mixed(60)}`).join("\n");

const TOKENS: Readonly<Record<string, string>> = {
  "Slack bot": `xoxb-${"1".repeat(12)}-${"2".repeat(12)}-${mixed(24)}`,
  "Slack app": `xapp-1-A0${"1".repeat(9)}-${"2".repeat(13)}-${hex(64)}`,
  "Slack configuration": `xoxe.xoxp-1-${mixed(120)}`,
  "Slack webhook": `https://hooks.slack.com/services/T0${mixed(8)}/B0${mixed(8)}/${mixed(24)}`,
  "Discord bot": `MTA${mixed(21)}.Gab12c.${mixed(38)}`,
  "Discord webhook": `https://discord.com/api/webhooks/${"1".repeat(18)}/${mixed(68)}`,
  "GitHub classic": `ghp_${mixed(36)}`,
  "GitHub fine-grained": `github_pat_${mixed(82)}`,
  GitLab: `glpat-${mixed(20)}`,
  OpenAI: `sk-proj-${mixed(74)}T3BlbkFJ${mixed(74)}`,
  "another model's": `sk-or-v1-${hex(64)}`,
  Anthropic: `sk-ant-api03-${mixed(93)}AA`,
  Groq: `gsk_${mixed(52)}`,
  "Hugging Face": `hf_${lower(34)}`,
  npm: `npm_${mixed(36)}`,
  Docker: `dckr_pat_${mixed(27)}`,
  Stripe: `sk_live_${mixed(24)}`,
  Shopify: `shpat_${hex(32)}`,
  SendGrid: `SG.${mixed(22)}.${mixed(43)}`,
  Linear: `lin_api_${mixed(40)}`,
  Notion: `ntn_${"1".repeat(11)}${mixed(35)}`,
  Grafana: `glsa_${mixed(32)}_${hex(8)}`,
  Google: `AIza${mixed(35)}`,
  AWS: "AKIAQWERTYUIOPASDFGH",
  Vault: `hvs.${mixed(95)}`,
  "JSON Web": `eyJ${mixed(33)}.eyJ${mixed(60)}.${mixed(43)}`,
  Databricks: `dapi${hex(32)}`,
  Figma: `figd_${mixed(40)}`,
  Tailscale: `tskey-auth-${mixed(17)}-${mixed(32)}`,
};

const IN_CONTEXT: Readonly<Record<string, readonly [text: string, secret: string]>> = {
  "AWS secret": [`aws_secret_access_key = ${mixed(40)}`, mixed(40)],
  ".npmrc": [`//registry.npmjs.org/:_authToken=${mixed(36)}`, mixed(36)],
  "GitHub OAuth": [`https://${hex(40)}:x-oauth-basic@github.com/o/r.git`, hex(40)],
  "database address": ["postgres://app:s3cr3t%21pw@db.internal:5432/app", "s3cr3t%21pw"],
  "address with a password of its own kind": ["redis://:Tr0ub4dor&3@cache:6379/0", "Tr0ub4dor&3"],
  "bearer header": [`curl -H 'Authorization: Bearer ${mixed(30)}' x`, mixed(30)],
  "basic header": [`"authorization": "Basic dXNlcjpwYXNzdzByZA=="`, "dXNlcjpwYXNzdzByZA=="],
  "environment line": ["DB_PASSWORD=hunter22x", "hunter22x"],
  "shell export": [`export API_KEY="${mixed(20)}"`, mixed(20)],
  "JSON setting": [`{"clientSecret": "${mixed(24)}", "a": 1}`, mixed(24)],
  YAML: [`  password: Xk29vb-83kd\n`, "Xk29vb-83kd"],
  "command line": [`mysql --password=${mixed(12)} -u root`, mixed(12)],
  "query of a URL": [`https://api.host.io/x?access_token=${mixed(32)}&page=2`, mixed(32)],
  "private key": [
    `-----BEGIN RSA PRIVATE KEY-----\n${pem}\n-----END RSA PRIVATE KEY-----`,
    mixed(60),
  ],
  "private key in JSON": [
    JSON.stringify({ k: `-----BEGIN PRIVATE KEY-----\n${pem}\n-----END PRIVATE KEY-----\n` }),
    mixed(60),
  ],
  "private key without its end": [
    `$ head -3 id_rsa\n-----BEGIN OPENSSH PRIVATE KEY-----\n${pem}`,
    mixed(60),
  ],
  "PGP key": [
    `-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\n${pem}\n-----END PGP PRIVATE KEY BLOCK-----`,
    mixed(60),
  ],
};

describe("what looks like a secret", () => {
  it.each(Object.entries(TOKENS))(
    "P-X2 masks a %s token, alone, in text, in JSON and after a line break",
    (_, token) => {
      const contexts = [
        token,
        `see ${token}.`,
        JSON.stringify({ text: `first line\n${token}\n` }),
        JSON.stringify(JSON.stringify({ text: `\t${token}\n` })),
        `\x1b[32m${token}\x1b[0m`,
        `${token.slice(0, 9)}\u200b${token.slice(9)}`,
        `<${token}>, '${token}'`,
      ];
      for (const text of contexts) {
        const redacted = redact(text);
        expect(redacted).toContain("[redacted: ");
        expect(redacted.replaceAll("\u200b", "")).not.toContain(token);
        expect(redact(redacted)).toBe(redacted);
      }
    },
  );

  it.each(Object.entries(IN_CONTEXT))("P-X2 masks the secret of a %s", (_, [text, secret]) => {
    expect(redact(text)).toContain("[redacted: ");
    expect(redact(text)).not.toContain(secret);
  });

  it("says what it was, and leaves what is not secret", () => {
    expect(redact("git clone https://me:pa55word!x@host.io/r.git")).toBe(
      "git clone https://me:[redacted: password in an address]@host.io/r.git",
    );
    expect(redact(`token ghp_${mixed(36)} was used`)).toBe(
      "token [redacted: looks like a GitHub Token] was used",
    );
    expect(redact("DB_PASSWORD=hunter22x\nDB_USER=app")).toBe(
      "DB_PASSWORD=[redacted: value of a secret setting]\nDB_USER=app",
    );
  });

  it("cannot be switched off by what stands in the text", () => {
    const token = `ghp_${mixed(36)}`;
    expect(redact(`// secretlint-disable\n${token} // secretlint-disable-line`)).not.toContain(
      token,
    );
  });

  it("masks a value that is named in the member beside it", () => {
    const value = [
      { name: "DB_PASSWORD", value: "hunter22x" },
      { name: "USER", value: "hunter22x" },
    ];
    expect(redactDeep(value).map((one) => one.value)).toEqual([
      "[redacted: value of a secret setting]",
      "hunter22x",
    ]);
  });

  it("masks within a long text only what is secret, whatever its key is called", () => {
    const text = "DB_USER=app\nDB_PASSWORD=hunter22x\nrm -rf old";
    expect(redactDeep({ content: text })).toEqual({ content: redact(text) });
  });

  it("masks values by the names of their keys in JSON", () => {
    const value = { settings: { apiKey: "hunter22x", name: "hunter22x", max_tokens: 4096 } };
    expect(redactDeep(value)).toEqual({
      settings: {
        apiKey: "[redacted: value of a secret setting]",
        name: "hunter22x",
        max_tokens: 4096,
      },
    });
  });

  it("keeps what is not text, and a key that is called __proto__", () => {
    const value = JSON.parse('{"__proto__":{"a":[1,null,true]},"b":1.5}');
    expect(JSON.stringify(redactDeep(value))).toBe('{"__proto__":{"a":[1,null,true]},"b":1.5}');
  });
});

const HARMLESS = [
  "const token = await lexer.next();",
  "password: z.string().min(8),",
  "if (token === undefined || token.kind !== 'word2') return;",
  "  token: process.env.SLACK_BOT_TOKEN,",
  `export PASSWORD=$DB_PASSWORD; export TOKEN=\${GITHUB_TOKEN}`,
  "Authorization: Bearer <token>",
  "Authorization: Bearer $TOKEN",
  "curl -u user:password http://localhost:3000/path?page=2",
  "postgres://postgres:postgres@localhost:5432/app",
  `redis://:\${REDIS_PASSWORD}@cache:6379`,
  "https://host.io/a:b/c@d and mailto:me@host.io and git@github.com:owner/repo.git",
  "API_KEY=your-api-key-here SECRET=changeme PASSWORD=password123",
  '"integrity": "sha512-9V0dGbQzIxlYHxbdnJQ0vWJ6bX9o9Xl2V0l3kq1Yx3u0i8lYh6bN1mC0p2q3r4s5t6u7v8w9x0y1z2A3B4C5D6==",',
  "commit 3b18e512dba79e4c8300dd08aeb37f8e728b8dad (HEAD -> main, tag: v1.2.3)",
  "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  "id 123e4567-e89b-12d3-a456-426614174000 took 1530 ms, 98.7 % of 4096 tokens",
  "max_tokens: 4096, tokenLimit=128000, secretName: app-tls-2024, passwordField: input1",
  'token: "color-blue-500", secretRef: "projects/p1/secrets/db/versions/3"',
  "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ\n-----END CERTIFICATE-----",
  "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKo\n-----END PUBLIC KEY-----",
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJhc2U2NA me@laptop",
  "The password must have 8 characters; the secret is to sleep 8h. A token: one word.",
  "AKIAIOSFODNN7EXAMPLE is an example",
  "xoxb- is how a Slack token begins, ghp_ a GitHub one, sk- another",
  "npm warn deprecated inflight@1.0.6: This module is not supported",
  " ✓ test/src/tokens.test.ts (12 tests) 340ms   Tests  12 passed (12)",
  "drwxr-xr-x 2 agent agent 4096 Jan  1 12:00 secrets",
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "[redacted: nobody knows what]",
];

describe("what is no secret", () => {
  it.each(HARMLESS)("stays as it is: %s", (text) => {
    expect(redact(text)).toBe(text);
    expect(redact(`$ cat notes\n${text}\n$ `)).toBe(`$ cat notes\n${text}\n$ `);
  });

  it("P-X2 every line of this project's own code, papers and lock file stays as it is", () => {
    const listed = execFileSync("git", [
      "ls-files",
      "src",
      "scripts",
      "sandbox-image",
      "*.md",
      "*.json",
    ]);
    const files = listed.toString().trim().split("\n").filter(existsSync);
    const changed = files.filter((file) => {
      const text = readFileSync(file, "utf8");
      return redact(text) !== text;
    });
    expect(files.length).toBeGreaterThan(100);
    expect(changed).toEqual([]);
  });
});
