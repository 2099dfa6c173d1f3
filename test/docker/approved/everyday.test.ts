import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApprovedRuns, openApprovedRuns } from "../../support/approved-runs.ts";
import { sampleOf } from "../../support/thorough.ts";

const SETUP = `
find /workspace -mindepth 1 -delete; cd /workspace; echo a=1 > app.conf; echo 'int main(void){return 0;}' > tool.c
mkdir -p site/css app repo deb/DEBIAN deb/usr/share/local; echo page > site/index.html; echo css > site/css/a.css; tar -cf a.tar site; zip -qr a.zip site
printf 'Package: local\\nVersion: 1\\nArchitecture: all\\nMaintainer: a <a@b>\\nDescription: local\\n' > deb/DEBIAN/control; echo l > deb/usr/share/local/file
printf '#!/bin/sh\\nmktemp > /etc/postinst-ran\\n' > deb/DEBIAN/postinst; chmod 755 deb/DEBIAN/postinst; dpkg-deb -b deb local.deb > /dev/null
printf 'mkdir -p /opt/installed\\necho done > /opt/installed/mark\\n' > install.sh; echo 'import tempfile; print(tempfile.NamedTemporaryFile().name)' > tool.py
echo 'console.log(require("fs").mkdtempSync(require("os").tmpdir() + "/x"))' > tool.js; echo data > app/data; printf 'install:\\n\\tcp data /opt/made\\n' > app/Makefile
cd repo; git init -q -b main .; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m first`;

type Command = readonly [command: string, output?: RegExp];

/** Ordinary work of root. Each row is in an order in which a command finds what it needs; no row needs another one. */
const WORK: readonly (readonly Command[])[] = [
  [
    ["sudo dpkg -i ./local.deb"],
    ["sudo apt-get remove -y local"],
    ["sudo apt-get install -y ./local.deb", /Setting up local/],
    ["sudo dpkg -l local", /^ii {2}local/m],
  ],
  [["sudo useradd -m bob"], ["sudo usermod -s /bin/sh bob"], ["sudo userdel -r bob"]],
  [
    ["sudo groupadd ops"],
    ["sudo cp app.conf /etc/app.conf"],
    ["sudo sh -c 'echo b=2 >> /etc/app.conf'"],
    ["sudo sed -i s/b=2/b=3/ /etc/app.conf"],
    ["sudo cat /etc/app.conf", /^a=1\nb=3$/m],
    ["sudo chown root:ops /etc/app.conf"],
    ["sudo chmod 640 /etc/app.conf"],
    ["sudo find /etc -name '*.conf'", /app\.conf/],
  ],
  [["sudo install -m 644 app.conf /etc/app2.conf"], ["sudo diff app.conf /etc/app2.conf"]],
  [["sudo tee /etc/app3.conf < app.conf", /^a=1$/m]],
  [["cat app.conf | sudo tee /etc/app4.conf", /^a=1$/m]],
  [["sudo dd if=app.conf of=/etc/app5.conf"]],
  [
    ["sudo mkdir -p /opt/site"],
    ["sudo cp -r site /opt/"],
    ["sudo tar -xf a.tar -C /opt/site"],
    ["sudo ln -s /opt/site /opt/current"],
    ["sudo rm -rf /opt/site"],
  ],
  [["sudo unzip -o a.zip -d /opt/site3"]],
  [["sudo rsync -a site/ /opt/site2/"]],
  [["sudo tar -czf /root/etc.tgz /etc/apt"]],
  [["sudo mktemp", /^\/run\//m]],
  [["sudo mktemp -d", /^\/run\//m]],
  [["sudo python3 -c 'import tempfile; print(tempfile.mkdtemp())'", /^\/run\//m]],
  [["sudo node -e 'console.log(require(\"os\").tmpdir())'", /^\/run\//m]],
  [["sudo python3 tool.py", /^\/run\//m]],
  [["sudo node tool.js", /^\/run\//m]],
  [["sudo bash install.sh"]],
  [
    ["sudo gcc -o /usr/local/bin/tool /workspace/tool.c"],
    ["sudo update-alternatives --install /usr/bin/tool2 tool2 /usr/local/bin/tool 10"],
    ["sudo tool2"],
  ],
  [["sudo make -C /workspace/app install"], ["sudo mv /opt/made /etc/made"]],
  [["sudo find /workspace -name app.conf", /app\.conf/]],
  [["sudo ls /", /workspace/]],
  [["sudo du -sh /workspace", /\/workspace/]],
  [["sudo git -c 'safe.directory=*' -C /workspace/repo log --oneline", /first/]],
  [["sudo grep root /etc/shadow", /^root:/m]],
  [["sudo sort -o /etc/sorted /etc/passwd"]],
  [["sudo ldconfig"]],
  [["sudo touch /run/app.pid"]],
  [["sudo ps aux", /ps aux/]],
  [["sudo kill -0 1"]],
  [["sudo pip list", /pip/]],
  [["sudo npm ls -g"]],
];

describe("everyday commands of root inside the boundary", () => {
  let lab: ApprovedRuns;
  beforeAll(async () => {
    lab = await openApprovedRuns("a thread with work for root");
    await lab.asAgent(SETUP);
  });
  afterAll(() => lab[Symbol.asyncDispose]());

  const commands = sampleOf(WORK, 12)
    .flat()
    .map(([text, output = /^/]) => ({ text, output }));

  it.each(commands)("work: $text", async ({ text, output }) => {
    const result = await lab.click(await lab.card(text));
    expect(result).toMatchObject({ success: true, output: expect.stringMatching(output) });
  });
});
