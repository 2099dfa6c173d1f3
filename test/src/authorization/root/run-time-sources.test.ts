import { beforeAll, describe, expect, it } from "vitest";
import { openShellParser, type ShellParser } from "../../../../src/authorization/shell/parser.ts";
import { permissionLab } from "../../../support/permission-lab.ts";

let parser: ShellParser;
beforeAll(async () => {
  parser = await openShellParser();
});

function classify(command: string) {
  return parser.classify(command, {
    workspaceDir: "/workspace",
    homeDir: "/root",
    cwd: "/workspace",
  });
}

const DECIDED = "what root does depends at run time on ";

function decidedBy(command: string): string {
  const reason = classify(command).reasons.find(({ why }) => why.startsWith(DECIDED));
  return reason?.why.slice(DECIDED.length) ?? "";
}

const OUTPUT = "the output of `cat /workspace/data`";
const DATA = "$(cat /workspace/data)";

/** Bash evaluates what stands here, or makes words and names of it. */
const SHELL_TEXTS: readonly (readonly [text: string, by: string])[] = [
  [`[[ ${DATA} -gt 5 ]]`, OUTPUT],
  [`[[ ${DATA} -eq 1 ]] && id`, OUTPUT],
  [`[[ 1 -lt ${DATA} ]]`, OUTPUT],
  [`if [[ -v ${DATA} ]]; then id; fi`, OUTPUT],
  [`[[ a == ${DATA} ]]`, OUTPUT],
  [`[[ a =~ ${DATA} ]]`, OUTPUT],
  [`n=${DATA}; for ((i = 0; i < n; i++)); do echo $i; done`, OUTPUT],
  [`n=${DATA}; s=hello; echo "\${s:0:n}"`, OUTPUT],
  [`n=${DATA}; s=hello; echo "\${s:n}"`, OUTPUT],
  [`echo $(( ${DATA} + 1 ))`, OUTPUT],
  [`echo $[ ${DATA} + 1 ]`, "cat /workspace/data"],
  [`(( ${DATA} > 1 )) && id`, OUTPUT],
  [`n=${DATA}; (( n > 1 )) && id`, OUTPUT],
  [`n=${DATA}; echo $((n))`, OUTPUT],
  [`let n=${DATA}`, OUTPUT],
  [`declare -i n=${DATA}`, OUTPUT],
  [`declare ${DATA}`, OUTPUT],
  [`declare -x ${DATA}; ls /etc`, OUTPUT],
  [`local ${DATA}`, OUTPUT],
  [`export ${DATA}; ls /etc`, OUTPUT],
  [`readonly ${DATA}`, OUTPUT],
  [`typeset "${DATA}=1"`, OUTPUT],
  [`k=${DATA}; [ -v "$k" ] && id`, OUTPUT],
  [`k=${DATA}; test -v "$k" && id`, OUTPUT],
  [`k=${DATA}; printf -v "$k" x`, OUTPUT],
  [`k=${DATA}; read -r "$k" < /etc/hostname`, OUTPUT],
  [`k=${DATA}; echo "\${!k}"`, OUTPUT],
  [`k=${DATA}; echo "\${k@P}"`, OUTPUT],
  [`k=${DATA}; echo "\${k@E}"`, OUTPUT],
  [`declare -A a; k=${DATA}; unset "a[$k]"`, OUTPUT],
  [`k=${DATA}; a[$k]=1`, OUTPUT],
  [`k=${DATA}; a[k]=1`, OUTPUT],
  [`k=${DATA}; echo "\${a[$k]}"`, OUTPUT],
  [`declare -n r=${DATA}; r=1`, OUTPUT],
  [`wait -p "${DATA}"`, OUTPUT],
  [`ulimit -n ${DATA}`, OUTPUT],
  [`set -- ${DATA}; echo "$((\${1}))"`, OUTPUT],
  [`case ${DATA} in a) id ;; esac`, OUTPUT],
  [`for w in ${DATA}; do echo $w; done`, OUTPUT],
  [`while [ "${DATA}" = x ]; do id; done`, OUTPUT],
  [`echo "\${x:-${DATA}}"`, OUTPUT],
  [`: "\${x:=${DATA}}"`, OUTPUT],
  [`ls "$(</workspace/data)"`, "the output of `</workspace/data`"],
  ["ls `cat /workspace/data`", OUTPUT],
  [`a=(x ${DATA}); ls "\${a[@]}"`, OUTPUT],
  [`x+=${DATA}; ls $x`, OUTPUT],
  [`x=a${DATA}b; ls $x`, OUTPUT],
  [`ls > /root/${DATA}`, OUTPUT],
  [`ls /etc <<< ${DATA}`, OUTPUT],
  ["diff <(cat /workspace/data) /etc/hosts", OUTPUT],
  ["read -r x < /workspace/data; echo $((x + 1))", "the input of `read`"],
  ["while read -r p; do apt-get install $p; done < list", "the input of `read`"],
  ["mapfile -t a < list; echo ${a[0]}", "the input of `mapfile`"],
  ["mapfile -C id -c 1 a < list", "the input of `mapfile`"],
  ["readarray -t a < list", "the input of `readarray`"],
  ["select x in a b; do ls $x; done", "the input of `select`"],
  ["for f in *; do echo $((f)); done", "the names of files that `*` finds"],
  ["for f in /workspace/*.sh; do echo $f; done", "the names of files that `/workspace/*.sh` finds"],
  ["a=(*); echo $((a[0]))", "the names of files that `*` finds"],
  ["find . -exec sh -c 'echo $(($1))' _ {} +", "the names of files in /workspace"],
  ["cat list | xargs apt-get update", "the input of `xargs`"],
  ["ls $TARGET", "the value of `$TARGET`"],
  ['pkgs=(git jq); apt-get install "${pkgs[@]}"', 'the value of `"${pkgs[@]}"`'],
  ['f() { setpriv "$1"; }; f /workspace/x', 'the value of `"$1"`'],
  ['set -- /workspace/x; setpriv "$1"', 'the value of `"$1"`'],
  ["x=/work; x+=space/x; setpriv $x", "the value of `$x`"],
  ["x=/workspace/xa; setpriv ${x%a}", "the value of `${x%a}`"],
  ["setpriv ~agent/x", "the value of `~agent/x`"],
  ["setpriv /workspac{e..e}/x", "the range in `/workspac{e..e}/x`"],
  ["printf -v x %s /workspace/x; setpriv $x", "the value of `$x`"],
  ['ls "${TARGET}"', "the value of `${TARGET}`"],
  ["date() { cat /workspace/data; }; ls $(date)", "the output of `date`"],
  ["x=$(date +%s); echo $((x))", "the value of `$((x))`"],
  ["x=$(nproc); y=$x; (( y > 1 )) && id", "the value of `(( y > 1 ))`"],
  ["echo $(( $(nproc) + 1 ))", "the output of `nproc`"],
  ["a[$(id -u)]=1", "the output of `id -u`"],
  ["let x=$(nproc)", "the name of a variable"],
  ["eval echo $(whoami)", "the name of a variable"],
  ['declare "$(whoami)=1"', "the output of `whoami`"],
  ["printf -v $(whoami) x", "the name of a variable"],
];

/** The agent's part of the text decides what root gets. */
const COMMANDS: readonly (readonly [command: string, by: string])[] = [
  [`x=${DATA}; sudo ls $x`, OUTPUT],
  [`export ${DATA}; sudo ls /etc`, OUTPUT],
  [`sudo env ${DATA} ls /etc`, OUTPUT],
  [`sudo tar -cf /root/a.tar ${DATA}`, OUTPUT],
  [`sudo apt-get update ${DATA}`, OUTPUT],
  [`sudo find ${DATA}`, OUTPUT],
  [`sudo head -n $(( ${DATA} + 1 )) /etc/hosts`, OUTPUT],
  ["xargs -a list sudo apt-get update", "the input of `xargs`"],
  ["sudo xargs apt-get update < list", "the input of `xargs`"],
  ["cat list | sudo parallel apt-get update", "the input of `parallel`"],
  ["while read -r p; do sudo apt-get update $p; done < list", "the input of `read`"],
  [`sudo tee /etc/x <<E\n${DATA}\nE`, OUTPUT],
  [`sudo bash <<E\necho ${DATA}\nE`, OUTPUT],
  ["sudo bash <<'E'\necho $(cat /workspace/data)\nE", OUTPUT],
  [`sudo sh -c "ls ${DATA}"`, OUTPUT],
  [`doas ls ${DATA}`, OUTPUT],
  [`sudo timeout 5 nice bash -c 'ls ${DATA}'`, OUTPUT],
  [`trap 'ls ${DATA}' EXIT; sudo id`, OUTPUT],
  ["sudo ls $(sudo cat /root/list)", "the output of `sudo cat /root/list`"],
  ["sudo ls $(pgrep -a node)", "the output of `pgrep -a node`"],
  ["sudo ls $(pgrep -l node)", "the output of `pgrep -l node`"],
  ["sudo ls $(pgrep -fl node)", "the output of `pgrep -fl node`"],
  ["sudo ls $(pgrep --list-full node)", "the output of `pgrep --list-full node`"],
  ["sudo ls $(pgrep node -a)", "the output of `pgrep node -a`"],
  ["sudo ls $(pgrep -d x node)", "the output of `pgrep -d x node`"],
  ["sudo ls $(pidof -S x node)", "the output of `pidof -S x node`"],
  ["sudo ls $(pwd)", "the output of `pwd`"],
  ["sudo ls /etc ${x[", "a part that cannot be read"],
];

describe("a command of root that is decided only when it runs", () => {
  it.each(SHELL_TEXTS)("needs a phrase and names what decides: %s", (text, by) => {
    const command = `sudo bash -c '${text.replaceAll("'", "'\\''")}'`;
    expect(classify(command).risk).toBe("phrase");
    expect(decidedBy(command)).toContain(by);
  });

  it.each(COMMANDS)("needs a phrase and names what decides: %s", (command, by) => {
    expect(classify(command).risk).toBe("phrase");
    expect(decidedBy(command)).toContain(by);
  });

  it.each([
    "sudo kill $(pgrep nginx)",
    "sudo kill $(pgrep -f 'node server.js')",
    "sudo kill $(pgrep -u agent -n node)",
    "sudo kill -HUP $(pidof sshd)",
    "sudo kill $(cat /run/nginx.pid)",
    "sudo make -j$(nproc) install",
    "sudo cp a.conf /etc/a.conf.$(date +%F)",
    "sudo journalctl --since \"$(date -d '1 hour ago' '+%F %T')\"",
    "sudo usermod -aG docker $USER",
    'sudo getent group "$(id -gn)"',
    'sudo getent passwd "$(id -u)" "$LOGNAME"',
    "sudo apt-get install -y linux-headers-$(uname -r)",
    'echo "deb [arch=$(dpkg --print-architecture)] https://x.example $(lsb_release -cs) main" | sudo tee /etc/apt/sources.list.d/x.list',
    'echo "deb https://x.example $(. /etc/os-release && echo "$VERSION_CODENAME") main" | sudo tee /etc/apt/sources.list.d/x.list',
    "for i in 1 2 3; do sudo touch /opt/$i; done",
    "for i in {1..3}; do sudo systemctl restart app@$i; done",
    "for s in nginx redis; do sudo systemctl restart $s; done",
    "sudo bash -c 'for ((i = 0; i < 5; i++)); do touch /opt/$i; done'",
    "X=5; sudo head -n $((X + 1)) /etc/hosts",
    "sudo bash -c 'f() { echo \"$1\"; }; f a'",
    "sudo tee /etc/x <<'E'\n$(cat /workspace/data)\nE",
    "sudo bash -c 'echo ${HOME} $? $$ ${x:-y}'",
    "sudo bash -c 'n=3; (( n > 2 )) && echo more'",
    "VERSION=1.2; sudo apt-get install -y app=$VERSION",
    "sudo ls /etc/*.conf",
    'cd /opt && sudo ls "$PWD"',
    "D=$(mktemp -d); sudo ls $D",
    "sudo tee /etc/motd <<E\nHost $(hostname), kernel $(uname -r)\nE",
    "sudo bash -c '. /etc/os-release; echo $ID'",
    "echo '$(cat /workspace/data)'; sudo id",
  ])("stays a click where the text, or a fixed form, tells it: %s", (command) => {
    expect(decidedBy(command)).toBe("");
    expect(classify(command).risk).toBe("click");
  });

  it.each([`ls ${DATA}`, "ls | xargs cat", "read -r x < list; echo $((x))", `[[ ${DATA} -gt 5 ]]`])(
    "is no concern where the agent runs it: %s",
    (command) => {
      expect(decidedBy(command)).toBe("");
      expect(classify(command).risk).not.toBe("phrase");
    },
  );

  it("says so on its card once, in one sentence", async () => {
    await using lab = await permissionLab();
    lab.files.write("data", "1\n");
    const command = `sudo bash -c '[[ $(cat /workspace/data) -gt 5 ]] && id'`;
    const { effect } = await lab.question("terminal_operations.run_command", { command });
    const said = [...effect.reasons, ...effect.notes].filter((one) => one.includes("run time"));
    expect(said).toEqual([
      "what root does depends at run time on the output of `cat /workspace/data`",
    ]);
    expect(effect.phrase).toBeDefined();
  });
});
