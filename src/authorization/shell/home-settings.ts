import type { CodeOperand } from "./code-operand.ts";
import type { Call } from "./rule.ts";
import { literalWord, readable, type Word } from "./word.ts";

const HOME = "/home/agent";

const AWS = [".aws/config", ".aws/credentials"];

/**
 * Files in the home directory that say where a program connects, as whom, or what else it starts. Programs that can be
 * pointed elsewhere by a variable are not among them: the environment of an approved command does that.
 */
const SETTINGS: readonly (readonly [RegExp, readonly string[]])[] = [
  [
    /^(?:kubectl|helm|helmfile|kustomize|skaffold|oc|flux|argocd|stern|velero|istioctl|kubectx|kubens)$/,
    [".kube/config", ".kube/kuberc", ".config/helm/repositories.yaml", ...AWS],
  ],
  [/^(?:aws|sam|cdk|eksctl|copilot|eb|chalice|serverless|sls)$/, AWS],
  [
    /^(?:terraform|tofu|terragrunt|pulumi)$/,
    [
      ...[".terraformrc", ".tofurc", ".terraform.d/credentials.tfrc.json"],
      ...[".pulumi/credentials.json", ...AWS],
    ],
  ],
  [
    /^(?:gcloud|gsutil|bq)$/,
    [
      ...[".config/gcloud/active_config", ".config/gcloud/configurations/config_default"],
      ...[".config/gcloud/properties", ".boto"],
    ],
  ],
  [/^az$/, [".azure/config", ".azure/clouds.config", ".azure/azureProfile.json"]],
  [/^doctl$/, [".config/doctl/config.yaml"]],
  [/^(?:flyctl|fly)$/, [".fly/config.yml"]],
  [/^heroku$/, [".netrc"]],
  [/^rclone$/, [".config/rclone/rclone.conf", ".rclone.conf"]],
  [/^s3cmd$/, [".s3cfg"]],
  [
    /^(?:docker|docker-compose|podman|podman-compose|buildah|skopeo|nerdctl|oras|cosign)$/,
    [
      ...[".docker/config.json"],
      ...[".config/containers/registries.conf", ".config/containers/auth.json"],
    ],
  ],
  [/^(?:gh|hub)$/, [".config/gh/config.yml", ".config/gh/hosts.yml", ".config/hub"]],
  [/^glab$/, [".config/glab-cli/config.yml"]],
  [
    /^cargo$/,
    [
      ...[".cargo/config.toml", ".cargo/config", ".cargo/credentials.toml", ".cargo/credentials"],
      ".rustup/settings.toml",
    ],
  ],
  [/^go$/, [".config/go/env"]],
  [/^(?:twine|flit|python[\d.]*)$/, [".pypirc"]],
  [/^(?:poetry)$/, [".config/pypoetry/config.toml", ".config/pypoetry/auth.toml"]],
  [/^uvx?$/, [".config/uv/uv.toml", ".pypirc"]],
  [/^hatch$/, [".config/hatch/config.toml", ".pypirc"]],
  [/^pdm$/, [".config/pdm/config.toml", ".pypirc"]],
  [
    /^(?:yarn|pnpm|pnpx|bunx?|lerna|nx)$/,
    [".npmrc", ".yarnrc", ".yarnrc.yml", ".config/pnpm/rc", ".bunfig.toml"],
  ],
  [/^(?:gem|bundle|bundler|rake|cap)$/, [".gem/credentials", ".bundle/config"]],
  [
    /^composer$/,
    [
      ...[".composer/config.json", ".composer/auth.json"],
      ...[".config/composer/config.json", ".config/composer/auth.json"],
    ],
  ],
  [/^mvn$/, [".m2/settings.xml", ".m2/settings-security.xml", ".mavenrc"]],
  [/^gradle$/, [".gradle/gradle.properties", ".gradle/init.gradle", ".gradle/init.gradle.kts"]],
  [/^sbt$/, [".sbt/repositories", ".sbtopts"]],
  [/^lein$/, [".lein/profiles.clj"]],
  [/^mix$/, [".hex/hex.config"]],
  [/^ansible[\w-]*$/, [".ansible.cfg"]],
  [
    /^(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump|mariadb-admin)$/,
    [".my.cnf", ".mylogin.cnf"],
  ],
  [/^(?:psql|pg_dump|pg_restore|createdb|dropdb|vacuumdb)$/, [".pg_service.conf", ".pgpass"]],
  [/^(?:mongo|mongosh)$/, [".mongorc.js", ".mongoshrc.js"]],
  [/^redis-cli$/, [".redisclirc"]],
  [/^hg$/, [".hgrc", ".config/hg/hgrc"]],
  [/^svn$/, [".subversion/config", ".subversion/servers"]],
  [/^lftp$/, [".lftprc", ".lftp/rc", ".config/lftp/rc"]],
  [/^(?:https?|xh)$/, [".config/httpie/config.json", ".httpie/config.json"]],
  [/^(?:mutt|mail|mailx|s-nail|msmtp)$/, [".mailrc", ".msmtprc", ".muttrc"]],
  [/^gpg2?$/, [".gnupg/gpg.conf", ".gnupg/common.conf"]],
];

/** One that appears later counts as a change, too. Root has a home directory of its own. */
export function homeSettings(name: Word, { program }: Call): CodeOperand[] {
  const word = literalWord(readable(name.shape));
  const files = SETTINGS.filter(([pattern]) => pattern.test(program)).flatMap(([, names]) => names);
  return files.map((file) => ({
    kind: "read",
    word,
    candidates: [`${HOME}/${file}`],
    alsoMissing: true,
  }));
}
