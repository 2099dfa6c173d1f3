import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApprovedRuns, openApprovedRuns } from "../../support/approved-runs.ts";
import { coverOf } from "../../support/thorough.ts";

/** What the workload may prepare: links that lead out, and a pipe. `/opt/current` is a link that root made. */
const SETUP = `
find /workspace -mindepth 1 -delete; cd /workspace; mkdir -p real d/e out/usr/bin out/1/2; echo good > good.conf
ln -s /opt/victim link; ln -s /opt/victim/secret hard; ln -s out/1/2 deep; mkfifo pipe; echo 'echo evil' > out/usr/bin/ldd
cp out/usr/bin/ldd out/usr/bin/id; chmod 755 out/usr/bin/id; cp good.conf a.tar
`;
const VICTIM = `
rm -rf /opt/victim /opt/current /opt/given; mkdir /opt/victim; echo secret > /opt/victim/secret; chmod 600 /opt/victim/secret
ln -s /workspace/real /opt/current; mkdir /opt/given; chown 1000:1000 /opt/given`;

/** Each would change or run what the card does not show, by a link that the workload can put there. */
const ATTEMPTS = [
  ...[
    "chown agent",
    "chown -h agent",
    "chown -R agent",
    "chmod 666",
    "chmod -R a+r",
    "chgrp agent",
  ].flatMap((verb) => [
    `sudo ${verb} link/secret`,
    `sudo ${verb} /workspace/hard`,
    `sudo ${verb} -- hard`,
  ]),
  "sudo chmod --reference=/etc/passwd hard",
  "sudo chmod +r,o+w hard",
  "sudo setfacl -m u:agent:rw hard",
  "sudo cp good.conf link/",
  "sudo cp good.conf hard",
  "sudo cp -t link good.conf",
  "sudo cp --target-dir=link good.conf",
  "sudo cp -- good.conf /workspace/link/x",
  "sudo mv -t link /etc/hostname",
  "sudo install -m 777 good.conf link/x",
  "sudo install -D -t link good.conf",
  "sudo install -d link/x",
  "sudo ln -s /etc link/x",
  "sudo ln -sf /etc/passwd hard",
  "sudo tee hard < good.conf",
  "sudo tee -a -- hard < good.conf",
  "sudo dd if=good.conf of=hard",
  "sudo sed -i s/secret/evil/ hard",
  "sudo sed -n --in-place=.bak p link/secret",
  "sudo tar -xf a.tar -C link",
  "sudo tar -cf hard good.conf",
  "sudo tar -rf link/x good.conf",
  "sudo rsync -a good.conf link/",
  "sudo rsync -a --log-file=link/log good.conf /opt/",
  "sudo truncate -s 0 hard",
  "sudo touch link/x",
  "sudo mkdir link/x",
  "sudo rm link/secret",
  "sudo rm -rf link/",
  "sudo find link/ -delete",
  "sudo find link/ -type f -exec chmod 666 {} +",
  "sudo gzip -f link/secret",
  "sudo cat good.conf > hard",
  "sudo sh -c 'cd link && rm secret'",
  "cd link && sudo rm secret",
  "cd d/e && sudo cp ../../good.conf ../../../opt/victim/secret",
  "sudo cp good.conf deep/../../opt/victim/secret",
  "sudo cp good.conf /workspace/d/../../opt/victim/secret",
  "sudo chown agent d/e/../../../opt/victim/secret",
  "sudo chmod 666 h*d",
  "sudo chown agent {hard,link/secret}",
  'F=hard; sudo chown agent "$F"',
  "sudo chown agent /proc/self/cwd/hard",
  "sudo tee /proc/self/root/workspace/hard < good.conf",
  "sudo touch /proc/1/cwd/x",
  "sudo touch /proc/self/fd/9",
  // Links that lie outside and lead into directories of the workload.
  "sudo cp good.conf /opt/current/",
  "sudo chown agent /opt/current/x",
  "sudo cp good.conf /opt/current/../x",
  "sudo tee /opt/current/x < good.conf",
  "sudo rm -rf /opt/current/",
  "sudo cp good.conf /opt/given/",
  "sudo chmod 666 /opt/given/x",
  "sudo tee /opt/given/new < good.conf",
  "sudo touch /dev/shm/x",
  "sudo touch /dev/mqueue/x",
  // Code behind such links.
  "sudo bash deep/../../usr/bin/ldd",
  "sudo bash d/e/../../../usr/bin/ldd",
  "sudo d/e/../../../usr/bin/id",
  "sudo /usr/bin/../../workspace/out/usr/bin/missing",
  "sudo bash /proc/self/cwd/out/usr/bin/ldd",
  // Reading that would block, or that leads out.
  "sudo cp pipe /etc/x",
  "sudo cat pipe",
  "sudo grep x pipe",
  "sudo tee /etc/x < pipe",
  "sudo cp hard /etc/x",
  "sudo cat link/secret",
  "sudo grep . hard",
];

describe("paths of root that the workload's links would lead elsewhere", () => {
  let lab: ApprovedRuns;
  let untouched = "";
  beforeAll(async () => {
    lab = await openApprovedRuns("a thread with links");
    await lab.asRoot(VICTIM);
    await lab.asAgent(SETUP);
    untouched = await victim();
  });
  afterAll(() => lab[Symbol.asyncDispose]());

  const victim = () => lab.asRoot("cd /opt/victim; stat -c '%n %a %u:%g %s' . *; cat secret");

  // With every change each program, option and path is tried once.
  const attempts = coverOf(ATTEMPTS, (text) => text.split(" "));

  it.each(attempts)("change nothing and run nothing else: %s", async (text) => {
    const card = await lab.card(text).catch((error: unknown) => String(error));
    if (typeof card === "string") expect(card).toMatch(/"outcome":"denied"/);
    else if (card.effect.workingDirectory === "/") await lab.click(card);
    else {
      // Code of the workspace that it leads to is on the card, and read from a verified copy.
      expect(card.effect.notes.join()).toMatch(/runs code from the workspace: \/workspace\/out/);
      expect(card.call.run?.command).toContain("/run/deckhand/code/");
    }
    expect(await victim()).toBe(untouched);
  });

  it("are checked again at the start: a directory that was given away since the card", async () => {
    await lab.asRoot("mkdir -p /opt/later");
    const card = await lab.card("sudo cp good.conf /opt/later/");
    await lab.asRoot("chown 1000:1000 /opt/later");
    await lab.asAgent("ln -s /opt/victim/secret /opt/later/good.conf");
    expect(await lab.click(card)).toMatchObject({ success: false, changedSinceApproval: true });
    expect(await victim()).toContain("secret");
  });

  it("are followed where only root can change them, and a link itself may be removed", async () => {
    await lab.asRoot("mkdir -p /opt/release; ln -sfn /opt/release /opt/stable");
    const copied = await lab.card("sudo cp good.conf /opt/stable/");
    expect(await lab.click(copied)).toMatchObject({ success: true });
    expect(await lab.asRoot("cat /opt/release/good.conf")).toBe("good");
    const removed = await lab.card("sudo rm /opt/current");
    expect(await lab.click(removed)).toMatchObject({ success: true });
    expect(await lab.asRoot("ls -d /workspace/real; ls /opt")).not.toMatch(/current/);
    await lab.asRoot("ln -s /workspace/real /opt/current");
  });

  it("copies data that is larger than code may be, byte for byte", async () => {
    await lab.asAgent("head -c 40000000 /dev/urandom > large");
    const card = await lab.card("sudo cp large /opt/large");
    expect(await lab.click(card)).toMatchObject({ success: true });
    expect(await lab.asRoot("cmp /workspace/large /opt/large && echo same")).toBe("same");
    await lab.asAgent("printf x >> large");
    expect(await lab.click(card)).toMatchObject({ success: false, changedSinceApproval: true });
    await lab.asRoot("rm /opt/large");
  });

  it.each([
    ["sudo chmod 666 hard", "chmod 666 hard"],
    [
      "sudo cp good.conf /opt/current/x",
      "ln -s /opt/victim/secret real/x; cp good.conf /opt/current/x",
    ],
    [
      "sudo cp good.conf deep/../../opt/victim/secret",
      "mkdir -p out/opt; ln -sfn /opt/victim out/opt/victim; cp good.conf deep/../../opt/victim/secret",
    ],
  ])("show that a careless root follows them (control): %s", async (_text, careless) => {
    const [prepare, act] = careless.includes(";")
      ? [
          careless.slice(0, careless.lastIndexOf(";")),
          careless.slice(careless.lastIndexOf(";") + 1),
        ]
      : ["true", careless];
    await lab.asAgent(prepare);
    await lab.asRoot(act);
    expect(await victim()).not.toBe(untouched);
    await lab.asRoot(VICTIM);
    await lab.asAgent(SETUP);
  });

  it("show that a careless root waits for a pipe that no process writes to (control)", async () => {
    expect(await lab.asRoot("timeout 2 cp pipe /opt/x; echo $?")).toBe("124");
  });
});
