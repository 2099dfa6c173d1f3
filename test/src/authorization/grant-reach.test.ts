import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { keyOf, type Lab, permissionLab } from "../../support/permission-lab.ts";

const RUN = "terminal_operations.run_command";

const labs: Lab[] = [];
afterEach(async () => {
  for (const lab of labs.splice(0)) await lab[Symbol.asyncDispose]();
});
/** Every command asks, so that only a grant lets one run. */
async function lab(): Promise<Lab> {
  const made = await permissionLab({ policy: `operations: { ${RUN}: elevated }` });
  labs.push(made);
  return made;
}

/** Gives the grant that the card's timed button offers. */
async function grant({ question, authorization }: Lab, params: object): Promise<string> {
  const { timedScope, effect } = await question(RUN, params);
  if (!timedScope) throw new Error(`no timed button for ${JSON.stringify(params)}`);
  const approvers = [keyOf("carol")];
  const given = { operation: RUN, scope: timedScope, approvers, shown: "x", oneTime: false };
  await authorization.grants.give("A", given);
  return effect.buttons.find(({ choice }) => choice === "timed")?.grants ?? "";
}

/** A command for which a person gave a timed grant, and others that go to another place or do other things there. */
const DESTINATIONS: readonly [string, ...string[]][] = [
  [
    "curl https://a.example/x",
    "curl https://b.example/x",
    "curl https://a.example/x https://b.example",
  ],
  [
    "curl https://a.example",
    "curl -x http://b.example https://a.example",
    "curl -T f https://a.example",
  ],
  ["wget https://a.example/f", "wget https://b.example/f", "wget --base=https://b.example f"],
  ["ssh a.example uptime", "ssh b.example uptime", "ssh -J b.example a.example uptime"],
  ["ssh a.example uptime", "ssh a.example reboot", "ssh -p 2222 a.example uptime"],
  ["scp f a.example:/x", "scp f b.example:/x", "scp f root@a.example:/x"],
  ["rsync -a d a.example:/x", "rsync -a d b.example:/x", "rsync -a d rsync://b.example/x"],
  ["psql -h a.example -c 'select 1'", "psql -h b.example -c 'select 1'", "psql postgres://b/x"],
  ["mysql -h a.example -e 'select 1'", "mysql --host=b.example -e 'select 1'"],
  ["redis-cli -h a.example get x", "redis-cli -h b.example get x", "redis-cli -u redis://b get x"],
  ["kubectl --context a get pods", "kubectl --context b get pods", "kubectl get pods"],
  ["kubectl get pods", "kubectl -s https://b get pods", "kubectl get pods --server=https://b"],
  ["kubectl get pods -n a", "kubectl get pods -n b", "kubectl get secrets -n a"],
  ["docker -H tcp://a ps", "docker -H tcp://b ps", "docker --context b ps", "docker ps"],
  ["aws --profile a s3 ls", "aws --profile b s3 ls", "aws s3 ls"],
  ["aws s3 cp f s3://a/x", "aws s3 cp f s3://b/x", "aws s3 cp f s3://a/x --endpoint-url http://b"],
  ["aws s3 ls", "AWS_PROFILE=b aws s3 ls", "AWS_ENDPOINT_URL=http://b aws s3 ls"],
  ["helm upgrade x ./c", "helm --kube-context b upgrade x ./c", "helm upgrade x oci://b/c"],
  ["cp a /opt/x", "cp a /opt/y", "cp b /opt/x", "cp -r a /opt/x"],
  ["kill -9 4711", "kill -9 4712", "kill -9 -1", "kill 4711"],
  ["rm /opt/x", "rm /opt/y", "rm -rf /opt"],
  ["tee /opt/x", "tee /opt/y", "tee -a /opt/x"],
  ["git worktree add /opt/x", "git worktree remove --force /opt/x", "git worktree add /opt/y"],
  ["git rebase main", "git rebase -x 'id' main", "git rebase other"],
  ["cargo build", "cargo build --bin b", "cargo build --config b"],
  ["gcloud --project a compute instances list", "gcloud --project b compute instances list"],
  ["az --subscription a vm list", "az --subscription b vm list"],
  ["gh pr create -R o/a", "gh pr create -R o/b", "gh pr merge 1 -R o/a"],
  ["npm install x", "npm install x --registry http://b", "npm install git+ssh://b/x"],
  ["pip install x", "pip install -i http://b x", "pip install --extra-index-url http://b x"],
  ["make deploy", "make deploy HOST=b", "make deploy destroy", "make -C b deploy"],
  [
    "npm run deploy",
    "npm run deploy -- --env=b",
    "npm --prefix b run deploy",
    "H=b npm run deploy",
  ],
  ["git push https://a.example/r f", "git push https://b.example/r f"],
  ["git commit -m x", "git -c core.sshCommand=x commit -m x", "GIT_DIR=/tmp/x git commit -m x"],
  ["touch /opt/x", "TZ=UTC touch /opt/y", "touch /opt/y; rm /opt/x"],
  ["nc a.example 80", "nc b.example 80", "nc a.example 22"],
  ["rclone copy d a:x", "rclone copy d b:x"],
];

type Files = Readonly<Record<string, string>>;

/** A command, the file that changes after its grant, what it holds then, and the files before. */
const CHANGES: readonly [command: string, path: string, after: string, before: Files][] = [
  ["make deploy", "app/Makefile", "deploy:\n\tcurl b\n", { "app/Makefile": "deploy:\n\ttrue\n" }],
  ["make deploy", "app/GNUmakefile", "deploy:\n\tid\n", { "app/Makefile": "deploy:\n\ttrue\n" }],
  ["make deploy", "app/makefile", "deploy:\n\tid\n", { "app/Makefile": "deploy:\n\ttrue\n" }],
  ["make deploy", "app/Makefile", "deploy:\n\tid\n", {}],
  ["make -f x.mk deploy", "app/x.mk", "deploy:\n\tid\n", { "app/x.mk": "deploy:\n\ttrue\n" }],
  ["make deploy", "app/inc.mk", "deploy:\n\tid\n", { "app/Makefile": "include inc.mk\n" }],
  [
    "make deploy",
    "app/inc.mk",
    "deploy:\n\tid\n",
    { "app/Makefile": "-include inc.mk\n", "app/inc.mk": "" },
  ],
  [
    "make deploy",
    "app/rules",
    "deploy:\n\tid\n",
    { "app/Makefile": "include rules\n", "app/rules": "" },
  ],
  [
    "make deploy",
    "app/bin/go.sh",
    "id",
    { "app/Makefile": "deploy:\n\t./bin/go.sh\n", "app/bin/go.sh": "true" },
  ],
  ["make deploy", "app/go", "id", { "app/Makefile": "deploy:\n\t@bash go\n", "app/go": "true" }],
  [
    "make deploy",
    "app/lib.sh",
    "id",
    { "app/Makefile": "deploy:\n\tsh go.sh\n", "app/go.sh": ". ./lib.sh\n", "app/lib.sh": "" },
  ],
  ["gmake deploy", "app/Makefile", "deploy:\n\tid\n", { "app/Makefile": "deploy:\n\ttrue\n" }],
  [
    "npm run deploy",
    "app/package.json",
    '{"scripts":{"deploy":"id"}}',
    { "app/package.json": '{"scripts":{"deploy":"true"}}' },
  ],
  [
    "npm run deploy",
    "app/package.json",
    '{"scripts":{"predeploy":"id","deploy":"true"}}',
    { "app/package.json": '{"scripts":{"deploy":"true"}}' },
  ],
  [
    "npm run deploy",
    "app/.npmrc",
    "script-shell=/tmp/x\n",
    { "app/package.json": '{"scripts":{"deploy":"true"}}' },
  ],
  [
    "npm run deploy",
    "app/tools/deploy.js",
    "1",
    {
      "app/package.json": '{"scripts":{"deploy":"node tools/deploy.js"}}',
      "app/tools/deploy.js": "",
    },
  ],
  [
    "npm run deploy",
    "app/tools/deploy.js",
    "1",
    { "app/package.json": '{"scripts":{"deploy":"node tools/deploy.js"}}' },
  ],
  [
    "npm test",
    "app/package.json",
    '{"scripts":{"test":"id"}}',
    { "app/package.json": '{"scripts":{"test":"true"}}' },
  ],
  [
    "npm start",
    "app/package.json",
    '{"scripts":{"start":"id"}}',
    { "app/package.json": '{"scripts":{"start":"true"}}' },
  ],
  ["npm run deploy", "package.json", '{"scripts":{"deploy":"id"}}', {}],
  [
    "yarn run deploy",
    "app/package.json",
    '{"scripts":{"deploy":"id"}}',
    { "app/package.json": '{"scripts":{"deploy":"true"}}' },
  ],
  ["yarn run deploy", "app/.yarnrc.yml", "yarnPath: x.js\n", { "app/package.json": "{}" }],
  [
    "pnpm run deploy",
    "app/package.json",
    '{"scripts":{"deploy":"id"}}',
    { "app/package.json": "{}" },
  ],
  ["pnpm run deploy", "app/.pnpmfile.cjs", "1", { "app/package.json": "{}" }],
  [
    "bun run deploy",
    "app/package.json",
    '{"scripts":{"deploy":"id"}}',
    { "app/package.json": "{}" },
  ],
  [
    "make deploy",
    "app/sub/Makefile",
    "all:\n\tid\n",
    { "app/Makefile": "deploy:\n\tcd sub && make\n", "app/sub/Makefile": "all:\n\ttrue\n" },
  ],
  [
    "make deploy",
    "app/sub/Makefile",
    "all:\n\tid\n",
    { "app/Makefile": "deploy:\n\t$(MAKE) -C sub all\n", "app/sub/Makefile": "all:\n\ttrue\n" },
  ],
  [
    "make deploy",
    "app/sub/go",
    "id",
    { "app/Makefile": "deploy:\n\tcd sub; bash -e go\n", "app/sub/go": "true" },
  ],
  [
    "npm run deploy",
    "app/sub/package.json",
    '{"scripts":{"b":"id"}}',
    {
      "app/package.json": '{"scripts":{"deploy":"npm --prefix sub run b"}}',
      "app/sub/package.json": '{"scripts":{"b":"true"}}',
    },
  ],
  [
    "npm run deploy",
    "app/pkg/__main__.py",
    "2",
    {
      "app/package.json": '{"scripts":{"deploy":"python3 -m pkg"}}',
      "app/pkg/__main__.py": "1",
    },
  ],
  [
    "npm run deploy",
    "app/tool.py",
    "2",
    { "app/package.json": '{"scripts":{"deploy":"python3 -m tool"}}' },
  ],
  ["just deploy", "app/justfile", "deploy:\n  id\n", { "app/justfile": "deploy:\n  true\n" }],
  [
    "just deploy",
    "app/x.just",
    "deploy:\n  id\n",
    { "app/justfile": "import 'x.just'\n", "app/x.just": "" },
  ],
  ["task deploy", "app/Taskfile.yml", "version: 3 # id", { "app/Taskfile.yml": "version: 3" }],
  ["task deploy", "app/Taskfile.yml", "version: 3 # id", { "app/Taskfile.yaml": "version: 3" }],
  ["rake deploy", "app/Rakefile", "system 'id'", { "app/Rakefile": "" }],
  ["cargo build", "app/Cargo.toml", "[package] # b", { "app/Cargo.toml": "[package]" }],
  [
    "cargo build",
    "app/.cargo/config.toml",
    "[build]\nrunner='x'",
    { "app/Cargo.toml": "[package]" },
  ],
  ["cargo build", "app/build.rs", "fn main() {}", { "app/Cargo.toml": "[package]" }],
  ["mvn package", "app/pom.xml", "<b/>", { "app/pom.xml": "<a/>" }],
  ["gradle build", "app/build.gradle", "b", { "app/build.gradle": "a" }],
  ["go run main.go", "app/main.go", "package main // b", { "app/main.go": "package main" }],
  ["go run main.go", "app/go.mod", "module b", { "app/main.go": "package main" }],
  ["ninja deploy", "app/build.ninja", "b", { "app/build.ninja": "a" }],
  ["ant deploy", "app/build.xml", "<b/>", { "app/build.xml": "<a/>" }],
  ["docker compose up", "app/compose.yaml", "b: 1", { "app/compose.yaml": "a: 1" }],
  ["kubectl apply -f k.yaml", "app/k.yaml", "b: 1", { "app/k.yaml": "a: 1" }],
  ["curl -d @body.json https://a.example", "app/body.json", "2", { "app/body.json": "1" }],
  ["curl -T late.txt https://a.example", "app/late.txt", "2", {}],
  ["scp f a.example:/x", "app/f", "2", { "app/f": "1" }],
  ["cp f /opt/x", "app/f", "2", { "app/f": "1" }],
];

describe("a timed grant", () => {
  it.each(DESTINATIONS)(
    "for %s covers it, and no other destination (P-A5)",
    async (first, ...others) => {
      const made = await lab();
      const words = await grant(made, { command: first });
      expect(await made.check(RUN, { command: first }), words).toMatchObject({ ground: "grant" });
      for (const command of others) {
        const verdict = await made.check(RUN, { command });
        expect({ command, outcome: verdict.outcome }).not.toEqual({ command, outcome: "allowed" });
      }
    },
  );

  it.each([
    ["git commit -m x", "git commit -m 'fix: y'", "git commit commands for 5 min."],
    ["git -C sub commit -m x", "git commit -m y", "git commit commands for 5 min."],
    ["mkdir -p a", "mkdir b c", "mkdir commands for 5 min."],
    ["touch a", "touch b", "touch commands for 5 min."],
  ])("for %s covers %s, which stays on this machine", async (first, second, said) => {
    const made = await lab();
    mkdirSync(made.files.path("sub"));
    expect(await grant(made, { command: first })).toBe(said);
    expect(await made.check(RUN, { command: second })).toMatchObject({ ground: "grant" });
  });

  it("for one command says so on the card, and holds in that directory only", async () => {
    const made = await lab();
    mkdirSync(made.files.path("a"));
    mkdirSync(made.files.path("b"));
    const command = "curl https://a.example";
    const inA = { command, working_directory: "/workspace/a" };
    expect(await grant(made, inA)).toBe("This exact command in /workspace/a for 5 min.");
    expect(await made.check(RUN, inA)).toMatchObject({ ground: "grant" });
    const inB = { command, working_directory: "/workspace/b" };
    expect(await made.check(RUN, inB)).toMatchObject({ outcome: "ask" });
  });

  it("for a push ends when the repository's settings lead elsewhere", async () => {
    const made = await lab();
    const git = (...args: string[]) => execFileSync("git", args, { cwd: made.files.dir });
    git("init", "-q", "-b", "feature");
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "one");
    const remote = (url: string) => git("config", "remote.origin.url", url);
    remote("https://a.example/r");
    const push = { command: "git push origin feature" };
    await grant(made, push);
    expect(await made.check(RUN, push)).toMatchObject({ ground: "grant" });
    remote("https://b.example/r");
    expect(await made.check(RUN, push)).toMatchObject({ outcome: "ask" });
  });

  it.each([
    "curl $URL",
    "scp *.txt a.example:/x",
    "curl -K settings",
    "wget -i list",
    "ssh -F config a.example uptime",
    "ssh a.example < script.sh",
    "kubectl --kubeconfig k get pods",
    "terraform apply",
    "npm publish",
    "rsync -a site a.example:/x",
    "docker build -t x ./site",
    "make -C site deploy",
    "npm --prefix site run deploy",
    "npm --prefix=site run deploy",
  ])("is not offered where the same words may lead elsewhere: %s", async (command) => {
    const made = await lab();
    mkdirSync(made.files.path("site"));
    const { timedScope } = await made.question(RUN, { command });
    expect(timedScope).toBeUndefined();
  });

  it.each([
    ["npm run deploy", "package.json", '{"scripts":{"deploy":"node ."}}'],
    ["npm run deploy", "package.json", '{"scripts":{"deploy":"node site"}}'],
    ["make deploy", "Makefile", "deploy:\n\tpython3 site\n"],
    ["make deploy", "Makefile", "deploy:\n\tcd site && node .\n"],
  ])("is not offered for %s where %s starts a whole directory: %j", async (command, name, text) => {
    const made = await lab();
    mkdirSync(made.files.path("site"));
    writeFileSync(made.files.path(name), text);
    const { timedScope } = await made.question(RUN, { command });
    expect(timedScope).toBeUndefined();
  });

  it.each(CHANGES)("for %s ends when %s changes to %j", async (command, path, after, before) => {
    const made = await lab();
    const put = (files: Files) => {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(made.files.path(name)), { recursive: true });
        writeFileSync(made.files.path(name), text);
      }
    };
    put({ "app/keep.txt": "", ...before });
    const there = { command, working_directory: "/workspace/app" };
    expect(await grant(made, there)).toBe("This exact command in /workspace/app for 5 min.");
    put({ "app/unrelated.txt": "y" });
    expect(await made.check(RUN, there)).toMatchObject({ ground: "grant" });
    put({ [path]: after });
    expect(await made.check(RUN, there)).toMatchObject({ outcome: "ask" });
  });
});
