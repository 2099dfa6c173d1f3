import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, normalize } from "node:path";
import { pipeline } from "node:stream/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Workspace } from "../../../src/contract/workspace/workspace.ts";
import { command } from "../../support/engine.ts";
import {
  type NetworkedEngine,
  startNetworkedEngine,
} from "../../support/network/networked-engine.ts";

const THREAD = "t/programs";

/** A certificate, a git repository, an npm package, a Python package and a Debian package, as a web server has them. */
const MAKE_SITE = `
set -e
mkdir -p /workspace/site && cd /workspace/site
openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=site.test -addext subjectAltName=DNS:site.test -keyout key.pem -out ca.pem 2>/dev/null
git init -q -b main work
git -C work -c user.name=t -c user.email=t@site.test commit -q --allow-empty -m "from outside"
git clone -q --bare work repo.git && git -C repo.git update-server-info && rm -rf work
mkdir tiny && echo '{"name":"tiny","version":"1.0.0"}' > tiny/package.json && (cd tiny && tar -czf ../tiny.tgz --transform 's,^\\.,package,' .) && rm -rf tiny
python3 - <<'END'
import zipfile
with zipfile.ZipFile("tiny_py-1.0-py3-none-any.whl", "w") as wheel:
    wheel.writestr("tiny_py.py", "print('from outside')\\n")
    wheel.writestr("tiny_py-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: tiny-py\\nVersion: 1.0\\n")
    wheel.writestr("tiny_py-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nGenerator: t\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr("tiny_py-1.0.dist-info/RECORD", "")
END
mkdir -p deb/DEBIAN deb/usr/share/tiny-deb && echo "from outside" > deb/usr/share/tiny-deb/text
printf 'Package: tiny-deb\\nVersion: 1.0\\nArchitecture: all\\nMaintainer: t <t@site.test>\\nDescription: tiny\\n' > deb/DEBIAN/control
dpkg-deb -b deb tiny-deb.deb > /dev/null && rm -rf deb
{ printf 'Package: tiny-deb\\nVersion: 1.0\\nArchitecture: all\\nMaintainer: t <t@site.test>\\nDescription: tiny\\nFilename: ./tiny-deb.deb\\n'
  printf 'Size: %s\\nSHA256: %s\\n' "$(stat -c %s tiny-deb.deb)" "$(sha256sum tiny-deb.deb | cut -d' ' -f1)"; } > Packages
chmod -R a+r . && echo made`;

describe("programs of a workspace and servers outside", () => {
  const closes = new AsyncDisposableStack();
  let engine: NetworkedEngine;
  let workspace: Workspace;
  let origin: string;
  let certificate: string;

  beforeAll(async () => {
    engine = closes.use(await startNetworkedEngine());
    workspace = await engine.workspaces.open(THREAD, { fence: 1 });
    const made = await command(workspace, MAKE_SITE);
    expect(made.output).toMatch(/made\s*$/);
    const directory = mkdtempSync(join(tmpdir(), "deckhand-site-"));
    closes.defer(() => rmSync(directory, { recursive: true, force: true }));
    const unpack = spawn("tar", ["-x", "-C", directory], { stdio: ["pipe", "ignore", "inherit"] });
    await pipeline(await workspace.download("/workspace/site"), unpack.stdin);
    await once(unpack, "close");
    const site = join(directory, "site");
    const read = (name: string) => readFileSync(join(site, normalize(`/${name}`)));
    certificate = read("ca.pem").toString();
    const server = createServer(
      { key: read("key.pem"), cert: read("ca.pem") },
      (request, response) => {
        const path = decodeURIComponent(request.url ?? "").replace(/\?.*$/, "");
        try {
          const made = generated(path, origin);
          if (made !== undefined) response.setHeader("content-type", "text/html");
          response.end(made ?? read(path));
        } catch {
          response.writeHead(404).end();
        }
      },
    ).listen(0, "127.0.0.1");
    await once(server, "listening");
    closes.defer(() => {
      server.closeAllConnections();
      server.close();
    });
    origin = `https://site.test:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => closes.disposeAsync());

  const CA = "/workspace/site/ca.pem";
  const PROGRAMS: Readonly<Record<string, string>> = {
    "git clone": `git -c http.sslCAInfo=${CA} clone -q ORIGIN/repo.git /tmp/clone && git -C /tmp/clone log -1 --format=%s`,
    "git clone with an empty environment": `env -i PATH=$PATH git -c http.sslCAInfo=${CA} clone -q ORIGIN/repo.git /tmp/clone2 && git -C /tmp/clone2 log -1 --format=%s`,
    "npm install": `mkdir -p /tmp/n && cd /tmp/n && npm install --registry ORIGIN --cafile ${CA} --no-audit --no-fund tiny > /dev/null && grep -q tiny node_modules/tiny/package.json && echo from outside`,
    "pip install": `pip install -q --disable-pip-version-check --cert ${CA} --index-url ORIGIN/simple --target /tmp/p tiny-py && PYTHONPATH=/tmp/p python3 -m tiny_py`,
    "pip install with an empty environment": `env -i PATH=$PATH HOME=/tmp pip install -q --disable-pip-version-check --cert ${CA} --index-url ORIGIN/simple --target /tmp/p2 tiny-py && PYTHONPATH=/tmp/p2 python3 -m tiny_py`,
    curl: `curl -sS --cacert ${CA} ORIGIN/repo.git/HEAD | grep -q main && echo from outside`,
    "curl --socks5-hostname": `curl -sS --proxy '' --socks5-hostname 127.0.0.1:3128 --cacert ${CA} ORIGIN/repo.git/HEAD | grep -q main && echo from outside`,
    "Node's fetch": `NODE_EXTRA_CA_CERTS=${CA} node -e 'fetch("ORIGIN/repo.git/HEAD").then(async (r) => console.log((await r.text()).includes("main") ? "from outside" : "wrong"))'`,
    "Python's urllib": `SSL_CERT_FILE=${CA} python3 -c 'import urllib.request; print("from outside" if b"main" in urllib.request.urlopen("ORIGIN/repo.git/HEAD").read() else "wrong")'`,
  };

  it.each(Object.entries(PROGRAMS))(
    "%s works without any setting of its own",
    async (_name, text) => {
      const { output } = await command(workspace, `( ${text.replaceAll("ORIGIN", origin)} )`);
      expect(output).toContain("from outside");
    },
  );

  it("apt-get works as approved root", async () => {
    const script =
      `set -e; mkdir -p /root/apt/lists/partial; echo "deb [trusted=yes] ${origin}/ ./" > /root/apt/list; ` +
      `cat > /root/apt/ca.pem <<'END'\n${certificate}END\nchmod -R a+rX /root /root/apt; ` +
      `O="-q -o Dir::Etc::sourcelist=/root/apt/list -o Dir::Etc::sourceparts=/dev/null -o APT::Sandbox::User=root -o Acquire::https::CaInfo=/root/apt/ca.pem"; ` +
      "apt-get $O update && apt-get $O install -y tiny-deb && cat /usr/share/tiny-deb/text";
    const { output } = await command(workspace, script, { as: "root" });
    expect(output).toMatch(/from outside\s*$/);
  });

  it("apt reads its settings without a warning from the proxy's directory", async () => {
    const { output } = await command(
      workspace,
      "apt-config dump 2>&1 | grep -i -E 'proxy|^W:|^E:'",
    );
    expect(output).toContain('Acquire::http::Proxy "http://127.0.0.1:3128"');
    expect(output).not.toMatch(/^[WE]:/m);
  });
});

/** What the registries of npm and Python say about their one package. */
function generated(path: string, origin: string): string | undefined {
  if (path === "/simple/tiny-py/") {
    return '<a href="/tiny_py-1.0-py3-none-any.whl">tiny_py-1.0-py3-none-any.whl</a>';
  }
  if (path !== "/tiny") return undefined;
  const version = { name: "tiny", version: "1.0.0", dist: { tarball: `${origin}/tiny.tgz` } };
  const versions = { "1.0.0": version };
  return JSON.stringify({ name: "tiny", "dist-tags": { latest: "1.0.0" }, versions });
}
