import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync } from "node:fs";
import { createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Lab, permissionLab } from "../../../support/permission-lab.ts";

const RUN = "terminal_operations.run_command";

describe("the binding of an approved command", () => {
  let lab: Lab;
  beforeEach(async () => {
    lab = await permissionLab();
    lab.files.write("deploy.sh", "echo deployed\n");
    lab.files.write("sub/tool.py", "print(1)\n");
    lab.files.write("Makefile", "install:\n\techo installed\n");
  });
  afterEach(() => lab[Symbol.asyncDispose]());

  const copy = /'\/run\/deckhand\/code\/[0-9a-f]{64}\/[\w.]+'/g;
  const runOf = async (command: string) => (await lab.question(RUN, { command })).call.run;

  it.each([
    ["sudo bash deploy.sh", "sudo bash COPY"],
    ["sudo ./deploy.sh prod", "sudo COPY prod"],
    ["sudo sh < deploy.sh", "sudo sh < COPY"],
    ["cd sub && sudo python3 tool.py", "cd sub && sudo python3 COPY"],
    ["sudo env A=1 timeout 5 nice bash -x deploy.sh", "sudo env A=1 timeout 5 nice bash -x COPY"],
    ["sudo make install", "sudo make -f COPY install"],
    ["sudo \\\n bash deploy.sh", "sudo  bash COPY"],
    ["X=deploy.sh; sudo bash $X", "X=deploy.sh; sudo bash COPY"],
  ])("has the shell read the verified copy: %s", async (command, expected) => {
    const run = await runOf(command);
    expect(run?.command.replaceAll(copy, "COPY")).toBe(expected);
    expect(run?.files).toHaveLength(1);
  });

  it("replaces files inside the text that another shell gets", async () => {
    const run = await runOf("sudo bash -c 'cd sub && python3 tool.py'");
    expect(run?.command).toMatch(/^sudo bash -c 'cd sub && python3 '\\''\/run\/deckhand\/code\//);
  });

  it("changes its digest with every file, and with the target of a link", async () => {
    const digest = async () => (await lab.question(RUN, { command: "sudo bash link.sh" })).digest;
    symlinkSync("deploy.sh", lab.files.path("link.sh"));
    const before = await digest();
    expect(await digest()).toBe(before);
    lab.files.write("deploy.sh", "echo other\n");
    expect(await digest()).not.toBe(before);
  });

  it.each([
    ["sudo bash missing.sh", /does not exist yet/],
    ["sudo bash sub", /not a regular file/],
    ["sudo bash $(echo deploy.sh)", /known only at run time/],
    ["for f in deploy.sh other.sh; do sudo bash $f; done", /cannot be replaced|does not exist/],
    ["eval sudo bash deploy.sh", /cannot be replaced/],
  ])("refuses as root what it cannot fix, and says what to do: %s", async (command, why) => {
    const verdict = await lab.check(RUN, { command });
    expect(verdict).toMatchObject({ outcome: "denied", reason: expect.stringMatching(why) });
    expect(verdict.reason).toMatch(/plain path/);
  });

  it.each([
    "sudo tar -cf a.tar sub",
    "sudo mv deploy.sh /usr/local/bin/tool",
    "sudo mv app.conf /etc/",
    "sudo sed -i s/80/81/ app.conf && sudo cp app.conf /etc/",
    "echo x > app.conf; sudo cp app.conf /etc/",
    "sudo chmod 600 app.conf; sudo cp -p app.conf /etc/",
    "sudo cp app.conf $TARGET",
    "cd $SOMEWHERE; sudo cp /workspace/app.conf here",
    "sudo -u agent cp app.conf /tmp/x",
    "sudo chown agent report",
    "sudo chmod 666 /workspace/report",
    "sudo rm -rf /workspace/build/",
    "sudo tee out < /etc/hostname",
    "sudo cat /etc/hosts > /workspace/out",
    "sudo cp /etc/hosts build/hosts",
    "sudo install -d /tmp/x",
    "sudo ln -s /etc /home/agent/etc",
    "sudo touch /dev/shm/x",
    "sudo truncate -s 0 ../tmp/x",
    "sudo rsync -a /etc/ /workspace/etc/",
    "sudo tar -C /workspace -xf /root/a.tar",
    "sudo dd if=/etc/hosts of=x",
    "sudo sh -c 'cd sub && chown agent .'",
    'sudo rm -rf "$x"',
  ])(
    "refuses as root to change a path that the workload could replace by a link: %s",
    async (command) => {
      lab.files.write("app.conf", "port=80\n");
      const reason = expect.stringMatching(/^Root does not change .*without sudo/);
      expect(await lab.check(RUN, { command })).toMatchObject({ outcome: "denied", reason });
    },
  );

  it.each(["sudo bash job.sh", "sudo cp job.sh /etc/job", "sudo cat job.sh"])(
    "refuses as root to read through a link that leads out of the workspace: %s",
    async (command) => {
      symlinkSync("/etc/hostname", lab.files.path("job.sh"));
      const verdict = await lab.check(RUN, { command });
      expect(verdict).toMatchObject({
        outcome: "denied",
        reason: expect.stringContaining("which the workload could replace with a link"),
      });
    },
  );

  it("refuses as root to read data that does not exist yet", async () => {
    const verdict = await lab.check(RUN, { command: "sudo cp late.conf /etc/late.conf" });
    const reason = expect.stringContaining("late.conf does not exist yet");
    expect(verdict).toMatchObject({ outcome: "denied", reason });
  });

  const READS = ["cp X /etc/", "cat X", "grep a X", "tee /etc/x < X", "head -n 1 X", "sha256sum X"];

  it.each(READS)("refuses as root to read what is no regular file: sudo %s", async (read) => {
    execFileSync("mkfifo", [lab.files.path("pipe")]);
    symlinkSync("pipe", lab.files.path("link"));
    const server = createServer().listen(lab.files.path("socket"));
    for (const [name, what] of [
      ["pipe", "named pipe"],
      ["link", "named pipe"],
      ["socket", "socket"],
      ["/dev/ptmx", undefined],
    ] as const) {
      const verdict = await lab.check(RUN, { command: `sudo ${read.replace("X", name)}` });
      const reason = expect.stringContaining(`is a ${what}, not a regular file`);
      expect(verdict).toMatchObject(what ? { outcome: "denied", reason } : { outcome: "ask" });
    }
    server.close();
  });

  it("says in its own words that data is too large, and copies what is larger than code may be", async () => {
    lab.files.write("big.img", "");
    truncateSync(lab.files.path("big.img"), 17 * 1024 * 1024);
    const { call } = await lab.question(RUN, { command: "sudo cp big.img /opt/" });
    expect(call.run?.data).toEqual(["/workspace/big.img"]);
    truncateSync(lab.files.path("big.img"), 257 * 1024 * 1024);
    const { reason } = await lab.check(RUN, { command: "sudo cp big.img /opt/" });
    expect(reason).toContain("big.img is larger than 256 MB. Create it first");
    truncateSync(lab.files.path("big.img"), 17 * 1024 * 1024);
    const code = await lab.check(RUN, { command: "sudo bash big.img" });
    expect(code.reason).toMatch(/what root would run here: .*big\.img is larger than 16 MB/);
  });

  it.each([
    "sudo /usr/bin/../../workspace/deploy.sh",
    "sudo bash sub/../../usr/bin/ldd",
    "sudo sub/../../usr/bin/ldd",
    "cd sub && sudo bash ../../usr/bin/ldd",
    "sudo python3 /workspace/sub/../../usr/bin/ldd",
    "sudo bash /proc/self/cwd/usr/bin/ldd",
    "sudo bash -c '. sub/../../usr/bin/ldd'",
    "sudo cp deploy.sh sub/../../etc/x",
    "sudo tee /workspace/sub/../../etc/x < /etc/hostname",
    "cd sub && sudo chown agent ../../etc/hostname",
    "sudo rm -r sub/../../etc/x",
    "sudo cp sub/../../etc/hostname /etc/x",
    "sudo cp /proc/self/cwd/x /etc/x",
    "sudo tee /proc/self/cwd/x",
    "sudo tee /proc/self/root/workspace/x",
    "sudo touch /proc/self/fd/9",
  ])("refuses as root a path that leads where the workload's links lead: %s", async (command) => {
    // Where the text alone would take `sub/../..` for the root directory, it is another place by then.
    mkdirSync(lab.files.path("other/deep/er"), { recursive: true });
    lab.files.write("other/usr/bin/ldd", "echo evil\n");
    symlinkSync("other/deep/er", lab.files.path("link"));
    expect(await lab.check(RUN, { command })).toMatchObject({ outcome: "denied" });
    const byLink = await lab.check(RUN, { command: command.replaceAll("sub/", "link/") });
    // A file of the workspace that it leads to is read from a verified copy.
    if (byLink.outcome === "ask")
      expect(byLink.question?.call.run?.command).toContain("/run/deckhand/code/");
    else expect(byLink.outcome).toBe("denied");
  });

  it.each([
    "sudo id > out",
    "sudo id 2>> sub/out",
    "sudo sh -c 'echo x > out'",
    "sudo gzip deploy.sh",
    "sudo xz -k /workspace/deploy.sh",
    "sudo tar -rf out.tar /etc",
    "sudo tar -c --file=/workspace/out.tar /etc",
    "sudo tar -xf /opt/a.tar --one-top-level=/workspace/x",
    "sudo rsync -a --log-file=/workspace/log /etc/ /opt/",
    "sudo cpio -o -O /workspace/x",
    "sudo mknod /workspace/pipe p",
    "sudo mktemp -p /workspace",
    "sudo dpkg-deb -R /opt/a.deb /workspace/x",
    "sudo useradd -m -d /workspace/x bob",
    "sudo chmod -x /workspace/deploy.sh",
    "sudo chmod --reference=/etc/hostname deploy.sh",
    "sudo chattr +i /workspace/deploy.sh",
    "sudo dos2unix /workspace/deploy.sh",
    "sudo gcc -o /workspace/x /opt/x.c",
    "sudo pip install --target /workspace/lib x",
    "sudo touch /dev/mqueue/x",
  ])("refuses as root to change a path of the workspace in an unusual way: %s", async (command) => {
    const reason = expect.stringMatching(/^Root does not change /);
    expect(await lab.check(RUN, { command })).toMatchObject({ outcome: "denied", reason });
  });

  it.each(["sudo tar xf app.tar", "sudo make install", "sudo unheard-of ./deploy.sh"])(
    "says that a program may follow links where it may change files: %s",
    async (command) => {
      lab.files.write("app.tar", "x");
      const { effect } = await lab.question(RUN, { command });
      expect(effect.notes).toContain(
        "Not fixed by this approval: links in /workspace that it follows.",
      );
    },
  );

  it.each(["sudo tee /dev/stderr < /etc/hostname", "sudo chmod -x /etc/hostname"])(
    "still asks for what only root can make lead elsewhere: %s",
    async (command) => {
      expect((await lab.question(RUN, { command })).call.identity).toBe("root");
    },
  );

  it.each([
    "cat deploy.sh | sudo sh",
    "sed -n p deploy.sh | sudo python3 -",
    "cat sub/tool.py | sudo python3",
    "cat deploy.sh | sudo -s",
    "sudo -i < <(cat deploy.sh)",
    "cat deploy.sh | sudo su",
    'sudo bash -c "$(cat deploy.sh)"',
    'sudo bash -c "$(<deploy.sh)"',
    "sudo sh -c 'eval \"$(cat deploy.sh)\"'",
    "sudo sh -c 'read line < deploy.sh; $line'",
    "sudo find . -name deploy.sh -exec {} \\;",
    "sudo git -c core.hooksPath=sub commit --allow-empty -m x",
    ...[
      "PATH=/workspace/sub:$PATH",
      "PATH=$PATH:sub",
      "LD_PRELOAD=/workspace/sub/x.so",
      "LD_LIBRARY_PATH=sub",
      "PYTHONPATH=sub",
      "NODE_OPTIONS='--require /workspace/sub/x.js'",
      "BASH_ENV=/tmp/x",
      "ENV=/workspace/deploy.sh",
      "HOME=/workspace",
      "PERL5LIB=/home/agent/lib",
      "GIT_EXEC_PATH=/workspace/sub",
    ].flatMap((variable) => [
      `sudo ${variable} ls sub`,
      `sudo env ${variable} ls sub`,
      `export ${variable}; sudo -E ls sub`,
      `${variable} sudo ls sub`,
    ]),
  ])("refuses as root code that the text does not tell: %s", async (command) => {
    expect(await lab.check(RUN, { command })).toMatchObject({
      outcome: "denied",
      reason: expect.stringMatching(/known only at run time/),
    });
  });

  it.each([
    "sudo tee /etc/tool < deploy.sh",
    "cat deploy.sh | sudo tee /etc/tool",
    "X=/workspace/deploy.sh; cat $X | sudo tee /etc/tool",
  ])("binds a file that a variable or a pipe names: %s", async (command) => {
    const run = await runOf(command);
    expect(run?.files.map(({ path }) => path)).toContain("/workspace/deploy.sh");
  });

  it.each([
    ["sudo cp -r sub /opt/", "files in /workspace/sub"],
    ["sudo grep -r x sub", "files in /workspace/sub"],
  ])("names the directory that may change before the run: %s", async (command, what) => {
    const { effect } = await lab.question(RUN, { command });
    expect(effect.notes).toContain(
      `Not fixed by this approval: ${what} may change before it runs.`,
    );
  });

  const dataCopy = /\/run\/deckhand\/code\/data-[0-9a-f]{64}-\d+\//g;

  it.each([
    ["sudo cp app.conf /etc/", "sudo cp 'COPY/app.conf' /etc/"],
    ["sudo cp -p -- app.conf /etc/x.conf", "sudo cp -p -- 'COPY/app.conf' /etc/x.conf"],
    ["sudo cp -t /etc app.conf deploy.sh", "sudo cp -t /etc 'COPY/app.conf' 'COPY/deploy.sh'"],
    ["sudo cp --target-directory=/etc app.conf", "sudo cp --target-directory=/etc 'COPY/app.conf'"],
    [
      "sudo install -m 644 -o root app.conf /etc/",
      "sudo install -m 644 -o root 'COPY/app.conf' /etc/",
    ],
    ["sudo tee /etc/x < app.conf", "sudo tee /etc/x < 'COPY/app.conf'"],
    ["cat app.conf | sudo tee /etc/x", "cat 'COPY/app.conf' | sudo tee /etc/x"],
    ["sudo sh -c 'cat app.conf >> /etc/x'", "sudo sh -c 'cat '\\''COPY/app.conf'\\'' >> /etc/x'"],
    ["sudo head -n 5 app.conf > /etc/x", "sudo head -n 5 'COPY/app.conf' > /etc/x"],
    ["sudo tar -xzf app.conf -C /opt", "sudo tar -xzf 'COPY/app.conf' -C /opt"],
    ["sudo tar xf app.conf", "sudo tar xf 'COPY/app.conf'"],
    ["sudo unzip -o app.conf -d /opt", "sudo unzip -o 'COPY/app.conf' -d /opt"],
    ["sudo tar -C /opt -xf app.conf", "sudo tar -C /opt -xf 'COPY/app.conf'"],
    ["sudo tar xaf app.conf -C /opt", "sudo tar xaf 'COPY/app.conf' -C /opt"],
    ["sudo tar xCf /opt app.conf", "sudo tar xCf /opt 'COPY/app.conf'"],
    ["sudo tar -xPf app.conf", "sudo tar -xPf 'COPY/app.conf'"],
    [
      "sudo tar --extract --file app.conf -C /opt",
      "sudo tar --extract --file 'COPY/app.conf' -C /opt",
    ],
    ["sudo tar -tvf app.conf", "sudo tar -tvf 'COPY/app.conf'"],
    ["sudo cp -a app.conf /etc/", "sudo cp -a 'COPY/app.conf' /etc/"],
    ["sudo cp -r app.conf /etc/", "sudo cp -r 'COPY/app.conf' /etc/"],
    ["sudo rsync -av app.conf /etc/", "sudo rsync -av 'COPY/app.conf' /etc/"],
    [
      "sudo rsync -a --chown=root:root app.conf /etc/",
      "sudo rsync -a --chown=root:root 'COPY/app.conf' /etc/",
    ],
    // What runs before cannot write in the workspace: the kernel keeps root from it.
    ["make && sudo cp app.conf /etc/", /^make -f '[^']*' && sudo cp 'COPY\/app.conf' \/etc\/$/],
    ["sudo useradd x && sudo cp app.conf /etc/", "sudo useradd x && sudo cp 'COPY/app.conf' /etc/"],
    [
      "sudo apt-get update; sudo cp app.conf /etc/",
      "sudo apt-get update; sudo cp 'COPY/app.conf' /etc/",
    ],
    [
      "sudo bash deploy.sh && sudo cp app.conf /etc/",
      /^sudo bash '[^']*\/deploy.sh' && sudo cp 'COPY\/app.conf' \/etc\/$/,
    ],
    [
      "sudo mkdir -p /etc/a && sudo cp app.conf /etc/a && sudo chmod 600 /etc/a/app.conf",
      "sudo mkdir -p /etc/a && sudo cp 'COPY/app.conf' /etc/a && sudo chmod 600 /etc/a/app.conf",
    ],
    ["X=app.conf; sudo cp $X /etc/", "X=app.conf; sudo cp 'COPY/app.conf' /etc/"],
    [
      "sudo cp app.conf /etc/; sudo cp app.conf /opt/",
      "sudo cp 'COPY/app.conf' /etc/; sudo cp 'COPY/app.conf' /opt/",
    ],
  ])("has root read a verified copy of data: %s", async (command, expected) => {
    lab.files.write("app.conf", "listen 80\n");
    lab.files.write("5", "not the number\n");
    const { call, effect } = await lab.question(RUN, { command });
    expect(call.run?.command.replaceAll(dataCopy, "COPY/")).toMatch(
      typeof expected === "string" ? new RegExp(`^${RegExp.escape(expected)}$`) : expected,
    );
    expect(call.run?.data).toContain("/workspace/app.conf");
    expect(call.run?.files.map(({ path }) => path)).toEqual(
      expect.arrayContaining([...(call.run?.data ?? [])]),
    );
    expect(effect.notes.join()).not.toMatch(/(app\.conf|deploy\.sh) may change/);
  });

  it.each([
    // Another meaning: directories, names and what the file is besides its bytes.
    "sudo cp -l app.conf /etc/",
    "sudo cp -s app.conf /etc/",
    "sudo cp --parents app.conf /etc/",
    "sudo rsync -aR app.conf /etc/",
    "sudo tar -cf /opt/a.tar app.conf",
    // Another user cannot read the copy.
    "sudo -u nobody cat app.conf",
    // The text does not hold the file's name as a word.
    "sudo dd if=app.conf of=/etc/app.conf",
  ])(
    "says that a file is not fixed where a copy would mean something else: %s",
    async (command) => {
      lab.files.write("app.conf", "listen 80\n");
      const { call, effect } = await lab.question(RUN, { command });
      expect(call.run?.files.map(({ path }) => path)).toContain("/workspace/app.conf");
      expect(call.run?.data).not.toContain("/workspace/app.conf");
      expect(call.run?.command).not.toMatch(/data-[^/]+\/app\.conf/);
      expect(effect.notes).toContain(
        "Not fixed by this approval: /workspace/app.conf may change while it runs.",
      );
    },
  );

  it("copies at most 256 MB of data for one command", async () => {
    const names = ["part1", "part2", "part3"];
    for (const name of names) {
      lab.files.write(name, name);
      truncateSync(lab.files.path(name), 100 * 1024 * 1024);
    }
    const two = await lab.question(RUN, { command: "sudo cp part1 part2 /opt/" });
    expect(two.call.run?.data).toEqual(["/workspace/part1", "/workspace/part2"]);
    const { reason } = await lab.check(RUN, { command: `sudo cp ${names.join(" ")} /opt/` });
    expect(reason).toContain("part3 exceeds 256 MB together with the command's other files");
  });

  it.each([
    ["sudo bash deploy.sh", true],
    ["sudo make install", true],
    ["npm publish", true],
    ["git deploy", true],
    ["git push origin main", false],
    ["sudo id", false],
    ["sudo apt-get install -y nginx", false],
  ])("says whether code from the workspace runs: %s → %s", async (command, expected) => {
    const { effect } = await lab.question(RUN, { command });
    expect(effect.notes.some((note) => note.includes("runs code from the workspace"))).toBe(
      expected,
    );
  });

  it.each([
    ["sudo id", "/"],
    ["sudo python3 -m pip install x", "/"],
    ["sudo cat /etc/shadow", "/"],
    ["sudo cp deploy.sh /etc/", "/workspace"],
    ["sudo make install", "/workspace"],
  ])("shows the directory in which root starts: %s in %s", async (command, directory) => {
    const question = await lab.question(RUN, { command });
    expect(question.effect.workingDirectory).toBe(directory);
    expect(question.call.run?.directory).toBe(directory);
  });

  it("runs nothing in the background that needs an approval", async () => {
    const verdict = await lab.check(RUN, { command: "git push", isBackground: true });
    expect(verdict).toMatchObject({
      outcome: "denied",
      reason: expect.stringMatching(/foreground/),
    });
  });

  it("hands the bound run to the one-call server, and nothing to a free command", async () => {
    const free = await lab.check(RUN, { command: "ls" });
    expect(free).toMatchObject({ outcome: "allowed" });
    expect(free).not.toHaveProperty("run");
  });
});
