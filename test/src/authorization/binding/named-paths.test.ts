import { mkdirSync, symlinkSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Lab, permissionLab } from "../../../support/permission-lab.ts";

const RUN = "terminal_operations.run_command";

describe("paths that an approved command names", () => {
  let lab: Lab;
  beforeEach(async () => {
    lab = await permissionLab();
    for (const name of ["v1", "a/conf", "a/sub/conf", "a/Makefile", "pkg1", "plain.conf", "real/x"])
      lab.files.write(name, "all:\n\techo good\n");
    lab.files.write("a/package.json", '{ "name": "a" }');
    symlinkSync("v1", lab.files.path("tool"));
    symlinkSync("a", lab.files.path("link"));
    symlinkSync("pkg1", lab.files.path("pkg.tar"));
    symlinkSync("link", lab.files.path("chain"));
    mkdirSync(lab.files.path("inner"));
    symlinkSync("../a/conf", lab.files.path("inner/conf"));
  });
  afterEach(() => lab[Symbol.asyncDispose]());

  it.each([
    "sudo install -m 755 tool /usr/local/bin/t",
    "sudo cp tool /opt/x",
    "sudo cp -L tool /opt/x",
    "sudo cp -a tool /opt/x",
    "sudo cp link/conf /opt/x",
    "sudo cp -t /opt plain.conf link/conf",
    "sudo cp /workspace/link/conf /opt/x",
    "sudo cp ./link/./conf /opt/x",
    "sudo cp chain/sub/conf /opt/x",
    "sudo cp inner/conf /opt/x",
    "cd link && sudo cp conf /opt/x",
    "cd link; sudo cp conf /opt/x",
    "cd inner/../link && sudo cp conf /opt/x",
    "pushd link && sudo cp conf /opt/x",
    "sudo sh -c 'cd link && cp conf /opt/x'",
    "sudo bash -c 'cd /workspace/link; cat conf'",
    "(cd link && sudo id)",
    "D=link; cd $D && sudo id",
    "sudo cat tool",
    "sudo tee /opt/x < tool",
    "cat tool | sudo tee /opt/x",
    "sudo grep x tool",
    "sudo dd if=tool of=/opt/x",
    "sudo rsync link/conf /opt/x",
    "sudo rsync -a link/ /opt/x",
    "sudo tar cf /opt/t.tar link",
    "sudo tar -xf pkg.tar -C /opt",
    "sudo make -C link",
    "sudo make -Clink",
    "sudo make --directory=link",
    "sudo ls -la link/",
    "sudo find link/ -name conf",
    "sudo stat -L tool",
    "F=tool; sudo cat $F",
    "for f in plain.conf tool; do sudo cat $f; done",
    "cd link && npm publish",
    "scp tool host.example:/srv/",
    "git -C link push origin main",
    "git -C chain push origin main",
    "cd link && git push origin main",
  ])("must not lead through a link of the workload: %s", async (command) => {
    const verdict = await lab.check(RUN, { command });
    expect(verdict).toMatchObject({
      outcome: "denied",
      reason: expect.stringMatching(
        /leads through a link to \/workspace\/.*Ask again with that path|is a part of /,
      ),
    });
  });

  it.each([
    "sudo cp a/conf /opt/x",
    "cd a && sudo cp conf /opt/x",
    "sudo make -C a",
    "sudo ls -la a/",
    "sudo cat /etc/hostname",
    "sudo ls /bin/ /lib/",
    "cd a && git push origin main",
    "git push origin main",
    "sudo bash tool",
    "sudo dpkg -i ./pkg.tar",
    "sudo dpkg --contents ./pkg.tar",
  ])(
    "may be the workspace's own, links that only root can change, or read from a copy: %s",
    async (command) => {
      expect(await lab.check(RUN, { command })).toMatchObject({ outcome: "ask" });
    },
  );

  it("must not go up behind a directory that could become a link, unless a copy is read", async () => {
    const { reason } = await lab.check(RUN, {
      command: "sudo cp --parents a/../plain.conf /opt/x",
    });
    expect(reason).toMatch(/leads through \.\. after a name to \/workspace\/plain\.conf/);
    const { call } = await lab.question(RUN, { command: "sudo cat a/../plain.conf" });
    expect(call.run?.data).toEqual(["/workspace/plain.conf"]);
  });

  it("are fixed as directories, and as files that do not exist", async () => {
    const { call } = await lab.question(RUN, {
      command: "cd a && sudo cp -r --parents sub later.conf /opt/",
    });
    expect(call.run?.directories).toEqual(
      expect.arrayContaining(["/workspace/a", "/workspace/a/sub"]),
    );
    expect(call.run?.missing).toContain("/workspace/a/later.conf");
  });

  it("are at most 64 for root", async () => {
    const names = Array.from({ length: 70 }, (_, index) => `many/${index}`);
    for (const name of names) lab.files.write(name, name);
    const { reason } = await lab.check(RUN, { command: `sudo cp ${names.join(" ")} /opt/` });
    expect(reason).toContain("more than 64 files");
  });

  it.each([
    "sudo tar cf /root/b.tar *",
    "sudo tar cf /root/b.tar -- *",
    "sudo zip /root/b.zip *",
    "sudo cp * /opt/",
    "sudo cp *.conf /opt/",
    "sudo cp ./*.conf /opt/",
    "sudo cat *",
    "sudo cat a/*",
    "sudo cat a*/conf",
    "sudo cat /workspace/*",
    "sudo cat /workspace/a/c?nf",
    "sudo cat /tmp/[a-z]*",
    "sudo cat /home/agent/*",
    "sudo cat ~agent/../../tmp/*",
    "sudo cat /*/a/conf",
    "sudo cat /home/*/conf",
    "sudo cat /proc/*/cwd/conf",
    "cd a && sudo cat *",
    "cd /etc; sudo cat *",
    "sudo sh -c 'cat *'",
    "sudo sh -c 'cd /tmp && rsync -a * /opt/'",
    "sudo find * -name x",
    "sudo ls *",
    "sudo xargs cat *",
    "for f in *; do sudo cat $f; done",
    "F=*; sudo cat $F",
    "sudo cat {a,b}*",
    "sudo cat < *.conf",
    "sudo cat $(echo *)",
    "echo * | sudo xargs cat",
    "sudo chown root *",
    "sudo curl https://host.example/x?y=1 -o /opt/x",
  ])("are no patterns for root where the workload can create files: %s", async (command) => {
    expect(await lab.check(RUN, { command })).toMatchObject({
      outcome: "denied",
      reason: expect.stringMatching(/^Root uses no pattern .*Name the files/),
    });
  });

  it.each([
    "sudo cat /etc/*.conf",
    "sudo ls /usr/lib/*/",
    "cd /etc && sudo cat *.conf",
    "sudo find /etc -name '*.conf'",
    "sudo apt-get install -y 'php8.*'",
  ])("may be patterns where only root can create files: %s", async (command) => {
    expect(await lab.check(RUN, { command })).toMatchObject({ outcome: "ask" });
  });
});
