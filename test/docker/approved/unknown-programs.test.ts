import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApprovedRuns, openApprovedRuns } from "../../support/approved-runs.ts";
import { sampleOf } from "../../support/thorough.ts";

const EVIL = "touch /home/agent/evil-$(id -u)";
const LIBRARY = `printf '#include <stdlib.h>\\n__attribute__((constructor)) static void f(void){system("${EVIL}");}\\n' > m.c; gcc -shared -fPIC -o x m.c`;
const SCRIPT = `printf '#!/bin/sh\\n${EVIL}; cat\\n' > x; chmod 755 x`;

const SETUP = `
rm -rf /home/agent/evil-*; find /workspace -mindepth 1 -delete; cd /workspace
printf '#!/bin/sh\\necho good; cat > /dev/null\\n' > x; chmod 755 x; cp x p.py; : > conf; : > out; echo 1 > data; mkdir d
`;
const VICTIM = "echo victim > /etc/victim; chmod 600 /etc/victim";

/** Programs that run, load or obey a file that they are given; the workload changes it after the card. */
const RUNS: readonly (readonly [command: string, poison: string])[] = [
  ["sudo setpriv --nnp /workspace/x", SCRIPT],
  ["sudo setpriv --inh-caps=-all /workspace/x", SCRIPT],
  ["sudo sort -S 1k --compress-program /workspace/x /usr/bin/git", SCRIPT],
  ["sudo tar -I /workspace/x -cf /root/a.tar /etc/hostname", SCRIPT],
  ["sudo tar --to-command /workspace/x -xf /root/a.tar", SCRIPT],
  ["sudo python3 -m cProfile /workspace/p.py", `echo 'open("/home/agent/evil-0", "w")' > p.py`],
  ["sudo /lib64/ld-linux-x86-64.so.2 --preload /workspace/x /bin/true", LIBRARY],
  ["sudo bash -c 'enable -f /workspace/x name'", LIBRARY],
  [
    "sudo ssh -F /workspace/conf host true",
    `printf 'Host *\\nProxyCommand sh -c "${EVIL}"\\n' > conf`,
  ],
  [
    "sudo apt-get -c /workspace/conf update",
    `echo 'APT::Update::Pre-Invoke { "${EVIL}"; };' > conf`,
  ],
];

/** Programs that write where a word says; the workload makes that a link. */
const WRITES: readonly string[] = [
  "sudo git -C /root/r archive -o /workspace/out HEAD",
  "sudo git -C /root/r bundle create /workspace/out HEAD",
  "sudo openssl rand -out /workspace/out 5",
  "sudo logsave /workspace/out echo evil",
  "sudo gcc -E -o /workspace/out /root/m.c",
];

/** Text of the workload that bash evaluates. */
const DECIDED: readonly string[] = [
  "sudo bash -c '[[ $(cat /workspace/data) -gt 5 ]]'",
  "sudo bash -c 'n=$(cat /workspace/data); for ((i = 0; i < n; i++)); do echo $i; done'",
  "sudo bash -c 'read -r x < /workspace/data; echo $((x + 1))'",
  "sudo head -n $(( $(cat /workspace/data) + 1 )) /etc/hosts",
];

describe("programs of root that the guard does not know", () => {
  let lab: ApprovedRuns;
  beforeAll(async () => {
    lab = await openApprovedRuns("a thread with unknown programs");
    await lab.asRoot(`${VICTIM}; mkdir -p /root/r; cd /root/r; git init -q .; echo x > f; git add f
      git -c user.name=a -c user.email=a@b commit -qm x; tar -cf /root/a.tar f; echo 'int main(){}' > /root/m.c`);
  });
  afterAll(() => lab[Symbol.asyncDispose]());

  const evils = () => lab.asAgent("ls -d /home/agent/evil-* 2>/dev/null || true");

  it.each(RUNS)("do not get a file that changed after the card: %s", async (text, poison) => {
    await lab.asAgent(SETUP);
    const card = await lab.card(text);
    expect(card.effect.notes.join()).toMatch(
      /may run code from the workspace: \/workspace\/.*sha256/,
    );
    await lab.asAgent(`cd /workspace; ${poison}`);
    expect(await lab.click(card)).toMatchObject({ success: false, changedSinceApproval: true });
    expect(await evils()).toBe("");
  });

  it.each(sampleOf(RUNS, 3))(
    "would run it for a careless root (control): %s",
    async (text, poison) => {
      await lab.asAgent(`${SETUP} ${poison}`);
      await lab.asRoot(`${text} < /dev/null > /dev/null 2>&1 || true`);
      expect(await evils()).toBe("/home/agent/evil-0");
      await lab.asRoot("rm /home/agent/evil-0");
    },
  );

  it("run the verified copy", async () => {
    await lab.asAgent(SETUP);
    const card = await lab.card("sudo setpriv --nnp /workspace/x");
    expect(await lab.click(card)).toMatchObject({ success: true, output: "good\n" });
  });

  it.each(WRITES)("do not write through a link that was made after the card: %s", async (text) => {
    await lab.asAgent(SETUP);
    const card = await lab.card(text).catch((error: unknown) => String(error));
    await lab.asAgent("ln -sf /etc/victim /workspace/out");
    if (typeof card === "string") expect(card).toMatch(/Root does not change \/workspace\/out/);
    else
      expect(await lab.click(card)).toMatchObject({ success: false, changedSinceApproval: true });
    expect(await lab.asRoot("cat /etc/victim")).toBe("victim");
    await lab.asAgent("rm /workspace/out");
    await expect(lab.card(text)).rejects.toThrow(/copy the result without sudo|does not change/);
  });

  it.each(sampleOf(WRITES, 2))(
    "would write through it for a careless root (control): %s",
    async (text) => {
      await lab.asAgent(`${SETUP} ln -sf /etc/victim /workspace/out`);
      await lab.asRoot(`${text} || true`);
      expect(await lab.asRoot("head -c 6 /etc/victim | tr -d '\\0'")).not.toBe("victim");
      await lab.asRoot(VICTIM);
    },
  );

  it("cannot create a file where they start, by a bare name", async () => {
    await lab.asAgent(`${SETUP} ln -s /etc/victim new`);
    const card = await lab.card("sudo logsave new echo evil");
    expect(card.effect.workingDirectory).toBe("/");
    await lab.click(card);
    expect(await lab.asRoot("cat /etc/victim; rm -f /new")).toBe("victim");
  });

  it.each(DECIDED)("leave what the workload's text decides to a phrase: %s", async (text) => {
    await lab.asAgent(SETUP);
    const card = await lab.card(text);
    expect(card.risk).toBe("phrase");
    expect(card.effect.reasons.join()).toMatch(/depends at run time on the (?:output|input) of/);
    // The careless control: what one click would have run.
    await lab.asAgent(`cd /workspace; echo 'a[$(${EVIL})]' > data`);
    await lab.asRoot(`${text} > /dev/null 2>&1 || true`);
    expect(await evils()).toBe("/home/agent/evil-0");
    await lab.asRoot("rm /home/agent/evil-0");
  });
});
