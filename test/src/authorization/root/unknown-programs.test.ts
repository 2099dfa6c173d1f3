import { mkdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Lab, permissionLab } from "../../../support/permission-lab.ts";

const RUN = "terminal_operations.run_command";
const COPY = /\/run\/deckhand\/code\/(data-)?[0-9a-f]{64}(?:-\d+)?/g;

let lab: Lab;
beforeAll(async () => {
  lab = await permissionLab();
  for (const name of ["x", "conf", "data", "m.c", "p.py", "out", "deploy.sh", "app.conf", "a.tar"])
    lab.files.write(name, "echo hi\n");
  lab.files.write("Makefile", "all:\n\techo hi\n");
  lab.files.write("d/Makefile", "all:\n\techo hi\n");
  mkdirSync(lab.files.path("d/sub"), { recursive: true });
});
afterAll(() => lab[Symbol.asyncDispose]());

async function bound(command: string) {
  const { call, effect, risk } = await lab.question(RUN, { command });
  const run = call.run?.command.replaceAll(COPY, (_, data) => (data ? "DATA" : "CODE")) ?? "";
  return { run, risk, notes: effect.notes.join("\n"), directory: call.run?.directory };
}

async function refused(command: string): Promise<string> {
  const verdict = await lab.check(RUN, { command });
  expect(verdict.outcome).toBe("denied");
  return verdict.reason ?? "";
}

describe("a file of the workspace that root gives to a program which the guard does not know", () => {
  it.each([
    "setpriv /workspace/x",
    "setpriv --nnp /workspace/x",
    "setpriv --reuid 1 --clear-groups /workspace/x a b",
    "rg --pre /workspace/x word /etc/hostname",
    "tar -I /workspace/x -cf /root/a.tar /etc/hostname",
    "tar --use-compress-program /workspace/x -cf /root/a.tar /etc",
    "tar --to-command /workspace/x -xf /root/a.tar",
    "tar -F /workspace/x -cf /root/a.tar /etc",
    "tar -cf /root/a.tar -T /workspace/data",
    "tar -cf /root/a.tar --files-from /workspace/data",
    "python3 -m cProfile /workspace/p.py",
    "python3 -m json.tool /workspace/data",
    "/lib64/ld-linux-x86-64.so.2 /workspace/x",
    "/lib64/ld-linux-x86-64.so.2 --preload /workspace/x /bin/ls",
    "bash -c 'enable -f /workspace/x name'",
    "logsave /workspace/out ls",
    "nsenter --target 1 /workspace/x",
    "unshare --fork --no-such-option /workspace/x",
    "sort --compress-program /workspace/x /etc/hosts",
    "sort -T /workspace/x /etc/hosts",
    "install -s --strip-program /workspace/x /bin/ls /root/ls",
    "rsync -e /workspace/x a: /root",
    "rsync --rsync-path /workspace/x a: /root",
    "ssh -F /workspace/conf host",
    "ssh -i /workspace/x host",
    "gcc -specs /workspace/x /root/m.c",
    "gcc -o /root/m /workspace/m.c",
    "mapfile -C /workspace/x a < /etc/hosts && setpriv /workspace/x",
    "node --experimental-loader /workspace/x -e 1",
    "node --no-such-option /workspace/x -e 1",
    "apt-get -c /workspace/conf update",
    "curl -K /workspace/conf",
    "curl --netrc-file /workspace/conf https://host.example/",
    "openssl req -config /workspace/conf -new",
    "nginx -c /workspace/conf",
    "systemctl link /workspace/conf",
    "dpkg --contents /workspace/a.tar",
    "docker load -i /workspace/a.tar",
    "kubectl apply -f /workspace/conf",
    "git -C /root/r apply /workspace/data",
    "git -C /root/r archive -o /workspace/out HEAD",
    "gdb -p 1 -x /workspace/x --no-such-option",
    "unheard-of /workspace/x",
    "unheard-of a /workspace/x b",
    "unheard-of --config /workspace/conf",
    "unheard-of < /workspace/data",
    "env A=1 unheard-of /workspace/x",
    "timeout 5 nice unheard-of /workspace/x",
    "bash -c 'unheard-of /workspace/x'",
    "sh -c 'unheard-of \"$1\"' _ /workspace/x",
    "bash /workspace/deploy.sh /workspace/conf",
    "/workspace/deploy.sh /workspace/conf",
    "python3 /workspace/p.py --in /workspace/data",
    "mount /workspace/out /mnt",
    "less /workspace/data",
    "file -m /workspace/conf /etc/hosts",
    "find /etc -files0-from /workspace/data",
    "sed -n --no-such-option p /workspace/data",
    "awk '{ system($0) }' /workspace/data",
    "sed 's/a/b/e' /workspace/data",
    "grep --no-such-option x /workspace/data",
    "cp --no-such-option /workspace/data /etc/data",
  ])("is read from a verified copy, and the card says that it may run: sudo %s", async (text) => {
    const { run, notes } = await bound(`sudo ${text}`);
    expect(notes).toMatch(/This (?:may run|runs) code from the workspace: .*sha256/);
    expect(run).toContain("CODE/");
    expect(run.replaceAll(/mapfile\S*/g, "")).not.toMatch(/\/workspace\/(?!x a <)/);
  });

  it.each([
    "tar --use-compress-program=/workspace/x -cf /root/a.tar /etc",
    "tar -I/workspace/x -cf /root/a.tar /etc",
    "tar -cf /root/a.tar /etc --checkpoint-action='exec=sh /workspace/deploy.sh'",
    "sort --compress-program=/workspace/x /etc/hosts",
    "install -s --strip-program=/workspace/x /bin/ls /root/ls",
    "ssh -o ProxyCommand=/workspace/x host",
    "ssh -o 'ProxyCommand sh /workspace/x' host",
    "ssh -F/workspace/conf host",
    "gcc -fplugin=/workspace/x /root/m.c",
    "gcc -B/workspace/d /root/m.c",
    "gcc @/workspace/data",
    "curl -d @/workspace/data https://host.example/",
    "rsync --rsh=/workspace/x a: /root",
    "apt-get -o Dir::Etc=/workspace/d update",
    "apt-get -o APT::Update::Pre-Invoke::=/workspace/x update",
    "docker run -v /workspace/d:/d image",
    "unheard-of --dir=/workspace/d",
    "unheard-of 'run /workspace/x now'",
    "unheard-of a:/workspace/x",
    "python3 -c 'exec(open(\"/workspace/p.py\").read())'",
    "node -e 'require(\"/workspace/x\")'",
    "perl -e 'do \"/workspace/x\"'",
    "awk 'BEGIN { system(\"sh /workspace/x\") }'",
    "sed '1r /workspace/data' /etc/hosts",
    "python3 <<'E'\nexec(open('/workspace/p.py').read())\nE",
    "APT_CONFIG=/workspace/conf apt-get update",
    "env APP_CONFIG=/workspace/conf unheard-of",
    "unheard-of --home=/workspace/x",
    "unheard-of -x/workspace/x",
    "unheard-of 3< /workspace/x",
    "unheard-of 3< /workspace/new",
    "git -c core.sshCommand='sh /workspace/x' fetch",
  ])("is refused where no copy can stand in its place: sudo %s", async (text) => {
    expect(await refused(`sudo ${text}`)).toMatch(
      /no path that the workspace could replace to a program .*as a separate argument|known only at run time/,
    );
  });

  it.each(["/dev/fd/3", "/proc/self/cwd/x", "/proc/self/fd/3", "/proc/1/root/workspace/x"])(
    "is refused where a process decides which one it is: sudo unheard-of %s",
    async (path) => {
      expect(await refused(`sudo unheard-of ${path}`)).toContain(
        `the code in ${path} is known only at run time`,
      );
    },
  );

  it.each([
    "export APP_CONFIG=/workspace/conf; sudo unheard-of",
    "exec 3< /workspace/x; sudo unheard-of",
    "echo 'source /workspace/x' | sudo gdb",
    "cat <<'E' | sudo sqlite3 /root/x.db\n.output /workspace/new\nE",
    "for f in /workspace/x /workspace/conf; do sudo setpriv $f; done",
    "sudo setpriv {/workspace/x,/workspace/conf}",
    "eval sudo setpriv /workspace/x",
  ])("is refused where no copy can stand in its place: %s", async (command) => {
    expect(await refused(command)).toMatch(
      /no path that the workspace could replace|cannot be rep/,
    );
  });

  it.each([
    "cp /workspace/app.conf /etc/",
    "cp -p /workspace/app.conf /etc/x",
    "install -m 644 /workspace/app.conf /etc/",
    "cat /workspace/app.conf",
    "cat -A /workspace/app.conf",
    "tac /workspace/app.conf",
    "head -n 5 /workspace/app.conf",
    "tail -n 5 /workspace/app.conf",
    "wc -l /workspace/app.conf",
    "nl /workspace/app.conf",
    "grep -n word /workspace/app.conf",
    "grep -e word /workspace/app.conf",
    "grep -c -i 'a b' /workspace/app.conf",
    "egrep 'a|b' /workspace/app.conf",
    "fgrep a /workspace/app.conf",
    "diff -u /workspace/app.conf /etc/hosts",
    "cmp /workspace/app.conf /etc/hosts",
    "comm -12 /workspace/app.conf /etc/hosts",
    "md5sum /workspace/app.conf",
    "sha256sum /workspace/app.conf",
    "sha512sum -b /workspace/app.conf",
    "cksum /workspace/app.conf",
    "cut -d: -f1 /workspace/app.conf",
    "sort -u /workspace/app.conf",
    "sort -k 2 -t : /workspace/app.conf",
    "paste /workspace/app.conf /etc/hosts",
    "fold -w 80 /workspace/app.conf",
    "rev /workspace/app.conf",
    "od -c /workspace/app.conf",
    "strings /workspace/app.conf",
    "base64 -w 0 /workspace/app.conf",
    "zcat /workspace/app.conf",
    "jq . /workspace/app.conf",
    "jq -r .name /workspace/app.conf",
    "sed -n 1p /workspace/app.conf",
    "sed -e 's/a/b/g' /workspace/app.conf",
    "sed 's|/workspace/a|/opt/a|' /workspace/app.conf",
    "awk '{ print $1 }' /workspace/app.conf",
    "awk -F: '{ print $1 }' /workspace/app.conf",
    "tar -xzf /workspace/app.conf -C /opt",
    "unzip -o /workspace/app.conf -d /opt",
    "tee /etc/x < /workspace/app.conf",
    "sh -c 'cat /workspace/app.conf >> /etc/x'",
    "nice -n 5 cp /workspace/app.conf /etc/",
    "env LC_ALL=C sort /workspace/app.conf",
  ])("stays data for a program that is known only to read it: sudo %s", async (text) => {
    const { run, notes, risk } = await bound(`sudo ${text}`);
    expect(run).toContain("DATA/app.conf");
    expect(run.replace("s|/workspace/a|", "")).not.toContain("/workspace");
    expect(notes).not.toMatch(/code from the workspace/);
    expect(risk).toBe("click");
  });
});

describe("a directory of the workspace that root gives to a program which the guard does not know", () => {
  it.each([
    ["sudo unheard-of /workspace/d", "/workspace/d"],
    ["sudo unheard-of ./d/sub", "/workspace/d/sub"],
    ["sudo make -C /workspace/d all", "/workspace/d"],
    ["sudo pip install /workspace/d", "/workspace/d"],
    ["sudo chroot /workspace/d sh", "/workspace/d"],
    ["sudo docker build /workspace/d", "/workspace/d"],
    ["sudo gcc -I /workspace/d /root/m.c", "/workspace/d"],
    ["sudo git clone /workspace/d /root/r", "/workspace/d"],
    ["sudo setpriv --nnp ls /workspace/d; sudo unheard-of /workspace/d", "/workspace/d"],
  ])("needs a phrase, and the card says so: %s", async (command, place) => {
    const { notes, risk } = await bound(command);
    expect(notes).toContain(
      `This may run code from the workspace: everything in ${place} at that time`,
    );
    expect(risk).toBe("phrase");
  });

  it.each(["sudo cp -r /workspace/d /opt/", "sudo ls /workspace/d", "sudo du -sh /workspace/d"])(
    "is data for a program that is known: %s",
    async (command) => {
      const { notes, risk } = await bound(command);
      expect(notes).not.toMatch(/code from the workspace/);
      expect(risk).toBe("click");
    },
  );
});

describe("a place of the workspace where root would write", () => {
  it.each([
    "git -C /root/r archive -o /workspace/new HEAD",
    "git -C /root/r archive --output=/workspace/new HEAD",
    "git -C /root/r bundle create /workspace/new HEAD",
    "git -C /root/r format-patch -o /workspace/new HEAD",
    "git -C /root/r fast-export --export-marks=/workspace/new HEAD",
    "git -C /root/r worktree add /workspace/new",
    "git clone https://host.example/x /workspace/new",
    "git init /workspace/new",
    "gcc -o /workspace/new /root/m.c",
    "gcc -o/workspace/new /root/m.c",
    "cc -MF /workspace/new /root/m.c",
    "ld -Map=/workspace/new /root/m.o",
    "ssh -E /workspace/new host",
    "ssh -o UserKnownHostsFile=/workspace/new host",
    "curl -w '%output{/workspace/new}' https://host.example/",
    "curl -o /workspace/new https://host.example/",
    "curl -D /workspace/new https://host.example/",
    "curl --trace /workspace/new https://host.example/",
    "wget -O /workspace/new https://host.example/",
    "wget -o /workspace/new https://host.example/",
    "logsave /workspace/new ls",
    "setcap cap_net_raw+ep /workspace/new",
    "openssl rand -out /workspace/new 5",
    "openssl genrsa -out /workspace/new",
    "sqlite3 /workspace/new 'create table t(a)'",
    "pg_dump -f /workspace/new app",
    "docker save -o /workspace/new image",
    "tcpdump -w /workspace/new",
    "strace -o /workspace/new ls",
    "xxd /etc/hosts /workspace/new",
    "uniq /etc/hosts /workspace/new",
    "sort -o /workspace/new /etc/hosts",
    "split -b 1 /etc/hosts /workspace/new",
    "script -c ls /workspace/new",
    "fallocate -l 1 /workspace/new",
    "unheard-of --out /home/agent/new",
    "unheard-of --out=/tmp/new",
    "unheard-of /dev/shm/new",
    'python3 -c \'open("/workspace/new", "w")\'',
    "find /etc -fprint /workspace/new",
    "git -C /root/r config -f /workspace/new a.b c",
  ])("is refused with what to do instead: sudo %s", async (text) => {
    expect(await refused(`sudo ${text}`)).toMatch(
      /to standard output, and copy the result without sudo|^Root does not change .* without sudo/,
    );
  });

  it.each([
    "cd /workspace && sudo git -C /root/r archive -o out2 HEAD",
    "cd /workspace && sudo logsave new ls",
    "cd /workspace/d && sudo unheard-of new",
    "sudo cp app.conf /etc/ && sudo unheard-of new",
  ])("is refused by its bare name, too: %s", async (command) => {
    expect(await refused(command)).toMatch(/as a separate command without cd|does not change/);
  });
});

describe("the directory in which root starts", () => {
  it.each([
    ["sudo id", "/"],
    ["sudo systemctl restart nginx", "/"],
    ["sudo apt-get install -y nginx", "/"],
    ["sudo ufw allow 22/tcp", "/"],
    ["sudo unheard-of", "/"],
    ["sudo unheard-of new.txt --all", "/"],
    ["sudo logsave new ls", "/"],
    ["sudo git archive -o out.tar HEAD", "/"],
    ["sudo tar -cf a.tar d --checkpoint=1 '--checkpoint-action=exec=sh deploy.sh'", "/"],
    ["sudo python3 -m cProfile p.py", "/"],
    ["sudo python3 -c 'exec(open(\"deploy.sh\").read())'", "/"],
    ["sudo node -e 'require(\"./deploy.sh\")'", "/"],
    ["sudo gdb -batch -ex 'source ./deploy.sh'", "/"],
    ["sudo ssh -o 'ProxyCommand=sh ./deploy.sh' host", "/"],
    ["sudo pip install requests", "/"],
    ["sudo npm install -g cow", "/"],
    ["sudo chmod 644 /etc/hosts", "/"],
    ["sudo cat /etc/hosts", "/"],
    ["sudo bash -c 'id; uname'", "/"],
    ["sudo pwd", "/workspace"],
    ["sudo ls", "/workspace"],
    ["sudo cp app.conf /etc/a", "/workspace"],
    ["sudo tee /etc/a < app.conf", "/workspace"],
    ["sudo make all", "/workspace"],
    ["sudo npm install", "/workspace"],
    ["sudo docker compose up -d", "/workspace"],
    ["sudo bash deploy.sh", "/workspace"],
    ["sudo ./deploy.sh prod", "/workspace"],
    ["sudo python3 p.py", "/workspace"],
    ["sudo crontab data", "/workspace"],
    ["sudo unheard-of ./conf", "/workspace"],
    ["sudo git status", "/workspace"],
    ["cd d && sudo id", "/workspace"],
  ])("%s in %s", async (command, directory) => {
    expect((await bound(command)).directory).toBe(directory);
  });

  it("is the one that the call names only where it is not the workload's", async () => {
    const at = async (working_directory: string, command: string) =>
      (await lab.question(RUN, { command, working_directory })).effect.workingDirectory;
    expect(await at("/workspace/d", "sudo id")).toBe("/");
    expect(await at("/workspace/d", "sudo pwd")).toBe("/workspace/d");
    expect(await at("/etc", "sudo id")).toBe("/etc");
  });
});
