import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Lab, permissionLab } from "../../support/permission-lab.ts";

const RUN = "terminal_operations.run_command";

describe("settings in the home directory that decide where an approved command connects", () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await permissionLab();
  });
  afterAll(() => lab[Symbol.asyncDispose]());

  const missing = async (command: string) =>
    (await lab.question(RUN, { command })).call.run?.missing ?? [];

  it.each([
    ["kubectl delete ns prod", ".kube/config"],
    ["helm uninstall web", ".kube/config"],
    ["aws s3 rm s3://site --recursive", ".aws/config"],
    ["terraform destroy", ".terraformrc"],
    ["gcloud compute instances delete vm", ".config/gcloud/active_config"],
    ["az group delete -n prod", ".azure/config"],
    ["docker push team/web", ".docker/config.json"],
    ["gh release create v1", ".config/gh/hosts.yml"],
    ["cargo publish", ".cargo/config.toml"],
    ["twine upload dist/*", ".pypirc"],
    ["python3 -m twine upload dist/*", ".pypirc"],
    ["poetry publish", ".config/pypoetry/config.toml"],
    ["pnpm publish", ".npmrc"],
    ["yarn publish", ".yarnrc"],
    ["gem push a.gem", ".gem/credentials"],
    ["mvn deploy", ".m2/settings.xml"],
    ["gradle publish", ".gradle/init.gradle"],
    ["env A=1 timeout 9 kubectl delete ns prod", ".kube/config"],
    ["cd /tmp && kubectl delete ns prod", ".kube/config"],
    ["bash -c 'kubectl delete ns prod'", ".kube/config"],
  ])("are bound, missing ones included: %s obeys %s", async (command, file) => {
    expect(await missing(command)).toContain(`/home/agent/${file}`);
  });

  it.each(["git push origin main", "npm publish", "ssh host rm -rf /srv", "sudo kubectl get pods"])(
    "are not looked for where the environment or root's home directory keeps them away: %s",
    async (command) => {
      expect((await missing(command)).join()).not.toContain("/home/agent/");
    },
  );
});
