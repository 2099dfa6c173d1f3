import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Lab, permissionLab } from "../../../support/permission-lab.ts";

const RUN = "terminal_operations.run_command";

let lab: Lab;
beforeAll(async () => {
  lab = await permissionLab();
  for (const name of ["x.conf", "app.tgz", "tool", "build/index.html"])
    lab.files.write(name, "data\n");
});
afterAll(() => lab[Symbol.asyncDispose]());

describe("root that lets the workload in and goes on there", () => {
  it.each([
    "sudo sh -c 'mkdir --mode=1777 /opt/q; cp /etc/hosts /opt/q/h'",
    "sudo install -d -o agent /opt/q && cd /opt/q && sudo npm run build",
    "sudo install -d -m 777 /opt/q && sudo cp x.conf /opt/q/x",
    "sudo chown agent /opt/q; sudo cp x.conf /opt/q/x",
    "sudo chown :agent /opt/q; sudo touch /opt/q/x",
    "sudo chown root:agent /opt/q; sudo touch /opt/q/x",
    "sudo chgrp agent /opt/q; sudo tee /opt/q/x < x.conf",
    "sudo sh -c 'chown agent /opt/q; echo x > /opt/q/x'",
    "sudo sh -c 'chown agent /opt/q; cat < /opt/q/x'",
    "sudo chown -R agent:agent /opt/q && sudo chmod 644 /opt/q/x",
    "sudo sh -c 'umask 000; mkdir /opt/q; cp x.conf /opt/q/x'",
    "umask 0; sudo mkdir /opt/q && sudo cp x.conf /opt/q/x",
    "umask a+rwx; sudo cp x.conf /opt/q/x",
    "sudo chown agent /opt/q && sudo chown root /opt/q/x",
    "sudo chmod o+w /opt/q && sudo touch /opt/q/x",
    "sudo chmod a=rwx /opt/q && sudo touch /opt/q/x",
    "sudo chmod 1777 /opt/q && sudo touch /opt/q/x",
    "sudo setfacl -m u:agent:rwx /opt/q && sudo touch /opt/q/x",
    "sudo tar xzf app.tgz -C /opt && sudo chmod 755 /opt/app/bin",
    "sudo rsync -a build/ /srv/app/ && cd /srv/app && sudo npm ci",
    "sudo tar xzf app.tgz -C /opt && sudo touch /opt/app/done",
    "sudo tar --extract --file=app.tgz --directory=/opt && sudo cp x.conf /opt/app/",
    "sudo cp -p x.conf /etc/app/ && sudo nginx -t -c /etc/app/x.conf",
    "sudo cp --preserve=all x.conf /etc/app/ && sudo nginx -t -c /etc/app/x.conf",
    "for i in 1 2; do sudo cp x.conf /opt/q/; sudo chown agent /opt/q; done",
  ])("is refused: %s", async (command) => {
    const verdict = await lab.check(RUN, { command });
    expect(verdict).toMatchObject({ outcome: "denied" });
    expect(verdict.reason).toMatch(/to the workspace and uses it afterwards .* separate command/s);
  });

  it.each([
    "sudo mkdir -p /opt/q && sudo chown agent /opt/q && sudo make -C /opt/q",
    "sudo mkdir -p /opt/q; sudo chown 1000:1000 /opt/q; sudo make --directory=/opt/q",
    "sudo sh -c 'mkdir -m 777 /opt/q; make -C /opt/q'",
    "sudo chmod --reference=/etc/hosts /opt/q && sudo touch /opt/q/x",
    "sudo chown --reference=/etc/hosts /opt/q && sudo touch /opt/q/x",
    "sudo chown agent /opt/q && cd /opt/q && sudo make",
    "sudo chown agent /opt && sudo make -C /opt/q/r",
    "sudo tar xzf app.tgz -C /opt && sudo make -C /opt/app install",
    "sudo tar --extract --file=app.tgz --directory=/opt && sudo make -C /opt/app",
    "sudo chown $(id -u) /opt/q && cd /opt/q && sudo ./x",
    'sudo chown "$USER" /opt/q && sudo make -C /opt/q',
    "sudo tar xzf app.tgz -C /opt && sudo /opt/app/install.sh",
    "sudo cp -a tool /opt/tool && sudo /opt/tool/run",
    "sudo chmod 666 /opt/env.sh && sudo bash /opt/env.sh",
  ])("is refused, for this reason or another: %s", async (command) => {
    expect(await lab.check(RUN, { command })).toMatchObject({ outcome: "denied" });
  });

  it.each([
    "sudo mkdir -p /opt/app && sudo chown agent:agent /opt/app",
    "sudo mkdir -p /opt/app && sudo chown -R agent /opt/app && sudo chmod 755 /opt/app && ls -ld /opt/app",
    "sudo tar xzf app.tgz -C /opt && sudo chown -R root:root /opt/app",
    "sudo cp -p x.conf /etc/app/ && sudo chmod 644 /etc/app/x.conf",
    "sudo cp x.conf /etc/app/ && sudo systemctl restart app",
    "sudo chown root:root /opt/x && sudo touch /opt/x/y",
    "sudo chmod 755 /opt/x && sudo touch /opt/x/y",
    "sudo chmod u=rwx,go=rx /opt/x && sudo touch /opt/x/y",
    "sudo chown www-data /var/www && sudo touch /var/www/x",
    "sudo install -d -m 755 /opt/q && sudo cp x.conf /opt/q/",
    "sudo mkdir /opt/q && sudo cp x.conf /opt/q/",
    "sudo chown agent /opt/q && sudo touch /opt/quiet",
    "umask 022; sudo cp x.conf /opt/q/x",
    "umask 077 && sudo cp x.conf /opt/q/x",
    "sudo touch /opt/q/x && sudo chown -R agent /opt/q",
    "sudo rsync -a build/ /srv/www/ && sudo systemctl reload nginx",
  ])("is asked about as usual where it does not: %s", async (command) => {
    expect(await lab.check(RUN, { command })).toMatchObject({ outcome: "ask" });
  });
});
