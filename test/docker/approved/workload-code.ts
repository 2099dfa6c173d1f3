/** Without any source of packages, which no workspace can reach. */
const UPDATE = "update -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts=/dev/null";

/** A way in which a program of root comes to execute code that the workload wrote. */
export interface Attack {
  readonly name: string;
  readonly command: string;
  /** Where it starts; /root when left out. */
  readonly directory?: string;
}

/** The workload's code in all forms: each leaves the mark /root/pwned when root executes it. */
export const WORKLOAD_CODE = `
find /workspace -mindepth 1 -delete; cd /workspace
printf '#!/bin/sh\\nid > /root/pwned\\n' > x; chmod 755 x; cp x git-evil; cp x evil; mkdir bin parts core; cp x bin/evil; cp x parts/evil; cp x core/git-evil
echo 'open("/root/pwned","w")' > evilmod.py; cp evilmod.py x.py; echo 'w /root/pwned' > x.sed; echo 'BEGIN { system("id > /root/pwned") }' > x.awk
echo 'require("fs").writeFileSync("/root/pwned","")' > x.js; mkdir -p node_modules/evilmod; cp x.js node_modules/evilmod/index.js
echo 'import fs from "node:fs"; fs.writeFileSync("/root/pwned","")' > x.mjs
echo 'package Evil; open(F,">/root/pwned"); 1;' > Evil.pm; cp Evil.pm x.pl; printf 'all:\\n\\tid > /root/pwned\\n' > Makefile
printf '#include <fcntl.h>\\n__attribute__((constructor)) static void f(void){open("/root/pwned",O_CREAT|O_WRONLY,0644);}\\nint main(void){return 0;}\\nunsigned la_version(unsigned v){return v;}\\nint plugin_is_GPL_compatible;int plugin_init(void*a,void*b){return 0;}\\n' > e.c
gcc -w -shared -fPIC -o evil.so e.c; gcc -w -o prog e.c; cp x .bashrc; cp x .zshenv; cp x .profile; mkdir -p fish; echo 'id > /root/pwned' > fish/config.fish
printf '[alias]\\n\\tevil = !/workspace/x\\n[core]\\n\\thooksPath = /workspace/hooks\\n' > .gitconfig; mkdir hooks; cp x hooks/post-checkout
echo '{"name":"e","version":"1.0.0","scripts":{"evil":"id > /root/pwned","preinstall":"id > /root/pwned"}}' > package.json; echo "call writefile([''], '/root/pwned')" > x.vim; cp x.vim .vimrc
printf 'Host *\\n\\tProxyCommand /workspace/x\\n' > ssh_config; printf 'url = "file:///etc/hostname"\\noutput = "/root/pwned"\\n' > curlrc; cp curlrc .curlrc
echo 'APT::Update::Pre-Invoke { "id > /root/pwned"; };' > apt.conf; echo 'def e: input_filename; "x"' > x.jq
`;

export const LAUNCHERS: readonly Attack[] = [
  { name: "a program", command: "/workspace/x" },
  { name: "env", command: "env A=1 /workspace/x" },
  { name: "setpriv", command: "setpriv --nnp /workspace/x" },
  { name: "nice", command: "nice -n 1 /workspace/x" },
  { name: "ionice", command: "ionice -c3 /workspace/x" },
  { name: "timeout", command: "timeout 5 /workspace/x" },
  { name: "setsid", command: "setsid -w /workspace/x" },
  { name: "stdbuf", command: "stdbuf -o0 /workspace/x" },
  { name: "nohup", command: "nohup /workspace/x" },
  { name: "prlimit", command: "prlimit --nofile=64 /workspace/x" },
  { name: "flock", command: "flock /root/lock /workspace/x" },
  { name: "xargs", command: "echo a | xargs /workspace/x" },
  { name: "find", command: "find /etc/hostname -exec /workspace/x ';'" },
  { name: "run-parts", command: "run-parts /workspace/parts" },
  { name: "start-stop-daemon", command: "start-stop-daemon --start --exec /workspace/x" },
  { name: "a shell", command: "sh /workspace/x" },
  { name: "a sourced file", command: "bash -c '. /workspace/x'" },
  { name: "the loader", command: "/lib64/ld-linux-x86-64.so.2 /workspace/prog" },
  { name: "an ELF program", command: "/workspace/prog" },
  { name: "python3", command: "python3 /workspace/x.py" },
  { name: "a Python module", command: "python3 -m cProfile /workspace/x.py" },
  { name: "node", command: "node /workspace/x.js" },
  { name: "perl", command: "perl /workspace/x.pl" },
  { name: "awk", command: "awk -f /workspace/x.awk" },
  { name: "sed", command: "sed -n -f /workspace/x.sed /etc/hostname" },
  { name: "make", command: "make -f /workspace/Makefile" },
  { name: "rg --pre", command: "rg --pre /workspace/x root /etc/passwd" },
  { name: "tar -I", command: "tar -I /workspace/x -cf /root/a.tar /etc/hostname" },
  {
    name: "tar --checkpoint-action",
    command: "tar -cf /dev/null --checkpoint=1 --checkpoint-action=exec=/workspace/x /etc/apt",
  },
  { name: "ssh -o", command: "/usr/bin/ssh -o ProxyCommand=/workspace/x nowhere" },
  { name: "rsync -e", command: "rsync -e /workspace/x nowhere:a /root/b" },
  { name: "git -c", command: "git -c alias.y='!/workspace/x' y" },
  { name: "vim -S", command: "vim -es -S /workspace/x.vim +qa" },
];

export const LOADERS: readonly Attack[] = [
  { name: "LD_PRELOAD", command: "LD_PRELOAD=/workspace/evil.so id" },
  { name: "LD_AUDIT", command: "LD_AUDIT=/workspace/evil.so id" },
  { name: "enable -f", command: "bash -c 'enable -f /workspace/evil.so evil'" },
  { name: "ctypes", command: "python3 -c 'import ctypes; ctypes.CDLL(\"/workspace/evil.so\")'" },
  { name: "PYTHONPATH", command: "PYTHONPATH=/workspace python3 -c 'import evilmod'" },
  {
    name: "sys.path",
    command: "python3 -c 'import sys; sys.path.insert(0, \"/workspace\"); import evilmod'",
  },
  {
    name: "exec",
    command: "python3 -c 'exec(open(\"/workspace/x.py\").read())'",
  },
  { name: "node -r", command: "node -r /workspace/x.js -e 0" },
  { name: "node --import", command: "node --import file:///workspace/x.mjs -e 0" },
  { name: "NODE_OPTIONS", command: "NODE_OPTIONS='--require /workspace/x.js' node -e 0" },
  {
    name: "NODE_PATH",
    command: "NODE_PATH=/workspace/node_modules node -e 'require(\"evilmod\")'",
  },
  { name: "perl -I", command: "perl -I/workspace -MEvil -e 0" },
  { name: "PERL5LIB", command: "PERL5LIB=/workspace perl -MEvil -e 0" },
  {
    name: "gcc -fplugin",
    command: "echo 'int a;' | gcc -fplugin=/workspace/evil.so -x c -c -o /dev/null -",
  },
  {
    name: "gcc -wrapper",
    command: "echo 'int a;' | gcc -wrapper /workspace/x -x c -c -o /dev/null -",
  },
  { name: "git --exec-path", command: "git --exec-path=/workspace/core evil" },
  { name: "PATH", command: "PATH=/workspace/bin:$PATH; evil" },
  {
    name: "zmodload",
    command: "zsh -fc 'module_path=(/workspace); zmodload evil'",
  },
];

export const SETTINGS: readonly Attack[] = [
  { name: ".bashrc", command: "HOME=/workspace bash -ic true" },
  { name: "BASH_ENV", command: "BASH_ENV=/workspace/x bash -c true" },
  { name: ".profile", command: "HOME=/workspace bash -lc true" },
  { name: ".zshenv", command: "ZDOTDIR=/workspace zsh -c true" },
  { name: "config.fish", command: "XDG_CONFIG_HOME=/workspace fish -c true" },
  { name: ".gitconfig", command: "unset GIT_CONFIG_GLOBAL; HOME=/workspace git evil" },
  { name: "GIT_CONFIG_GLOBAL", command: "GIT_CONFIG_GLOBAL=/workspace/.gitconfig git evil" },
  { name: ".vimrc", command: "HOME=/workspace vim -u /workspace/.vimrc -es +qa" },
  { name: "ssh -F", command: "/usr/bin/ssh -F /workspace/ssh_config nowhere" },
  { name: "curl -K", command: "curl -K /workspace/curlrc" },
  { name: ".curlrc", command: "CURL_HOME=/workspace curl" },
  { name: "apt-get -c", command: `apt-get -c /workspace/apt.conf ${UPDATE}` },
  { name: "APT_CONFIG", command: `APT_CONFIG=/workspace/apt.conf apt-get ${UPDATE}` },
  { name: "make -C", command: "make -C /workspace" },
  { name: "npm --prefix", command: "npm --prefix /workspace run evil" },
];

const here = "/workspace";
/** Files that a program finds in the directory in which it starts. */
export const CURRENT_DIRECTORY: readonly Attack[] = [
  { name: "./x", command: "./x", directory: here },
  { name: "bash x", command: "bash x", directory: here },
  { name: "Makefile", command: "make", directory: here },
  { name: "package.json", command: "npm run evil", directory: here },
  { name: "node --run", command: "node --run evil", directory: here },
  { name: "require", command: "node -e 'require(\"./x.js\")'", directory: here },
  { name: "node_modules", command: "node -e 'require(\"evilmod\")'", directory: here },
  {
    name: "a module of Python",
    command: "unset PYTHONSAFEPATH; python3 -m evilmod",
    directory: here,
  },
  {
    name: "a module beside -c",
    command: "unset PYTHONSAFEPATH; python3 -c 'import evilmod'",
    directory: here,
  },
  { name: "perl -I.", command: "perl -I. -MEvil -e 0", directory: here },
  { name: "an empty part of PATH", command: 'PATH="$PATH:"; git-evil', directory: here },
  { name: "source", command: "source ./x", directory: here },
];

/** Root made these links and files; the workload still decides what they hold. */
export const SYSTEM_LINKS = `
ln -sf /workspace/x /usr/local/bin/linked; ln -sf /workspace/x /etc/profile.d/linked.sh; ln -sf /workspace/evilmod.py /usr/lib/python3/dist-packages/linkedmod.py
ln -sf /workspace/apt.conf /etc/apt/apt.conf.d/99linked; ln -sf /workspace/.zshenv /etc/zsh/zshenv; ln -sfn /workspace/bin /opt/linkedbin
ln -sf /workspace/evil.so /usr/local/lib/liblinked.so
cp -a /workspace/x /usr/local/bin/owned; cp /workspace/x /usr/local/sbin/shared; chmod 777 /usr/local/sbin/shared
cp /workspace/x /usr/local/sbin/grouped; chown 0:1000 /usr/local/sbin/grouped; chmod 775 /usr/local/sbin/grouped
cp /workspace/x /usr/local/sbin/listed; python3 -c 'import os, struct
entries = [(1, 7, -1), (2, 7, 1000), (4, 5, -1), (16, 7, -1), (32, 5, -1)]
os.setxattr("/usr/local/sbin/listed", "system.posix_acl_access", struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *one) for one in entries))'
mkdir -p /opt/deep/a/b/given; cp /workspace/x /opt/deep/a/b/given/; chown 1000:1000 /opt/deep/a/b/given
`;
export const IN_SYSTEM_DIRECTORIES: readonly Attack[] = [
  { name: "a link in PATH", command: "linked" },
  { name: "a link in profile.d", command: "bash -lc true" },
  { name: "a link among modules", command: "python3 -c 'import linkedmod'" },
  { name: "a link among settings of apt", command: `apt-get ${UPDATE}` },
  { name: "a link among settings of zsh", command: "zsh -c true" },
  { name: "a link to a directory", command: "/opt/linkedbin/evil" },
  { name: "a link to a library", command: "LD_PRELOAD=/usr/local/lib/liblinked.so id" },
  { name: "a file of the workload in PATH", command: "owned" },
  { name: "a file that all may write", command: "shared" },
  { name: "a file of the workload's group", command: "grouped" },
  { name: "a file that an access list gives to the workload", command: "listed" },
  { name: "a directory of the workload deep in the system", command: "/opt/deep/a/b/given/x" },
];

/** Links of processes lead past the names of the path. */
export const THROUGH_PROC: readonly Attack[] = [
  { name: "its own directory", command: "bash /proc/self/cwd/x", directory: here },
  { name: "its own root", command: "bash /proc/self/root/workspace/x" },
  { name: "its shell's directory", command: "cat /proc/$BASHPID/cwd/x | bash", directory: here },
  { name: "the first process's root", command: "bash /proc/1/root/workspace/x" },
  { name: "the server's root", command: "bash /proc/$PPID/root/workspace/x" },
  { name: "the server's directory", command: "bash /proc/$(ps -o ppid= $PPID | tr -d ' ')/cwd/x" },
  { name: "a thread's root", command: "bash /proc/thread-self/root/workspace/x" },
  { name: "a descriptor of the shell", command: "bash /dev/fd/9 9< /workspace/x" },
];
