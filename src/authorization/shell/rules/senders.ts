import { operandsOf } from "../options.ts";
import { type Call, each, type Inspector, type Rule, type Rules } from "../rule.ts";
import { readable, type Word } from "../word.ts";
import { endsEverywhere, verbsAmong } from "./client-verbs.ts";
import { asksAndSends } from "./places.ts";
import { fromEnvironment } from "./upstream.ts";

/** Programs that hand something to people, to public places or to other machines, or that let others in. */
export const senders: Rules = {
  ...each(
    "s-nail nail neomutt alpine mpack sendemail sendEmail ssmtp esmtp nullmailer-inject exim exim4 mailsend mailsend-go " +
      "himalaya mhmail metasend dma smtp-cli",
    sender("sends mail"),
  ),
  ...each(
    "slackcat slack-cli slacktee telegram-send tgsend telegram-cli discord.sh ntfy ntfyme pushbullet pushover apprise signal-cli " +
      "matrix-commander irssi weechat sic ii toot twurl tweet rainbowstream sendxmpp go-sendxmpp wall write talk wal-telegram",
    sender("sends messages"),
  ),
  ...each(
    "pastebinit wgetpaste fpaste gist dpaste hastebin haste termbin carbon-now transfersh onionshare onionshare-cli qrcp qcp " +
      "airpaste airshare ia picgo imgur imgurbash2 immich immich-go skicka filen portal wormhole-rs wormhole-william sendfile " +
      "mega-put mega-sync mega-backup megacopy dropbox dropbox_uploader.sh maestral nextcloudcmd owncloudcmd osync " +
      "duplicati-cli syncthing",
    sender("copies files to another machine"),
  ),
  ...each("lp lpr", sender("sends files to a printer")),
  asciinema: ({ args }, inspect) => {
    if (/^(?:upload|stream|auth)$/.test(operandsOf(args)[0]?.shape ?? ""))
      asksAndSends("copies files to another machine", inspect);
    else inspect.notes("records a terminal");
  },
  ...each(
    "openconnect openfortivpn openvpn3 vpnc nordvpn mullvad ivpn warp-cli piactl mozillavpn protonvpn protonvpn-cli expressvpn " +
      "gpclient f5fpc zerotier-cli zerotier-one tincd nebula netbird expose lt tunnelto cryptcat sbd ss-local sslocal v2ray xray " +
      "sing-box trojan redsocks ttyd gotty tmate upterm sshx wetty x11vnc x0vncserver tigervncserver vncserver krfb krdpserver " +
      "guacd sslh xfreerdp rdesktop vncviewer krdc remmina remote-viewer",
    sender("opens connections or tunnels"),
  ),
  ...each(
    "sshfs curlftpfs s3fs gcsfuse goofys blobfuse blobfuse2 mount.cifs mount.nfs smbnetfs prsync pdcp",
    sender("copies files from or to another machine"),
  ),
  ...each(
    "evil-winrm winrm winexe pssh parallel-ssh pdsh dsh clush mssh xxh sshrc",
    (call, inspect) => {
      sender("runs commands on another machine")(call, inspect);
      inspect.mayRun(call.args);
    },
  ),
  ...each(
    "rustscan naabu zmap unicornscan nping hping3 arp-scan netdiscover nbtscan enum4linux enum4linux-ng smbmap hydra medusa patator " +
      "ncrack gobuster dirb dirbuster dirsearch feroxbuster ffuf wfuzz kiterunner nikto nuclei sqlmap wpscan dalfox arjun autorecon " +
      "recon-ng nettacker msfconsole responder bettercap ettercap arpspoof dnsspoof sslstrip tcpkill tcpreplay aireplay-ng airodump-ng " +
      "mdk4 bully reaver wash wifite kismet goldeneye goldeneye.py slowloris slowhttptest nxc crackmapexec cme netexec " +
      "bloodhound-python kerbrute certipy rpcclient smbcacls ldapdomaindump evilginx gophish mitm6 braa onesixtyone snmpbrute",
    sender("scans or attacks other machines"),
  ),
  ...Object.fromEntries(
    "psexec wmiexec smbexec atexec dcomexec secretsdump getTGT getST GetNPUsers GetUserSPNs GetADUsers ticketer addcomputer mssqlclient smbclient reg rpcdump rpcmap samrdump lookupsid ntlmrelayx netview services raiseChild goldenPac sambaPipe rdp_check getArch DumpNTLMInfo smbserver"
      .split(" ")
      .flatMap((name) => [`${name}.py`, `impacket-${name}`])
      .map((name) => [name, sender("scans or attacks other machines")]),
  ),
  ...each("ab hey wrk wrk2 siege bombardier oha loadtest http_load httperf rewrk vegeta", load),
  ...each("grpcurl evans ghz wscat", calls),
};

/** Questions about the program itself, its account or its state. */
const LOOKS =
  /^(?:status|version|account|list|ip|netcheck|peers|info|countries|cities|relay|settings|help|history|read|folder|envelope|-V|-h|-l|--(?:version|help|list|status|usage))$/;

function sender(why: string): Rule {
  return (call, inspect) => {
    const [first] = operandsOf(call.args);
    const looks = call.args.length > 0 && LOOKS.test((first ?? call.args[0])?.shape ?? "");
    if (looks) {
      inspect.notes(`${call.program} reports its status`);
      return;
    }
    asksAndSends(why, inspect);
    if (verbsAmong(call.args).slice(0, 3).some(endsEverywhere))
      inspect.phrase(`${call.program} permanently deletes something`);
    if (fromEnvironment(call.input)) inspect.phrase("sends the environment to another machine");
  };
}

function isOwnServer({ shape }: Word): boolean {
  return /^(?:[a-z]+:\/\/)?(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0)(?:[:/]|$)/.test(
    readable(shape),
  );
}

/** Many requests at once can bring down another machine, whatever they say. */
function load({ args }: Call, inspect: Inspector): void {
  inspect.notes("sends many requests to a server");
  if (args.some(isOwnServer) || args.every(({ shape }) => /^-/.test(shape))) return;
  inspect.sends();
  inspect.click("puts load on another machine");
}

/** A method of a service may do anything. */
function calls({ args }: Call, inspect: Inspector): void {
  inspect.sends();
  const looks = operandsOf(args).some(({ shape }) => /^(?:list|describe)$/.test(shape));
  if (looks || args.some(isOwnServer)) inspect.notes("asks a service");
  else inspect.click("calls a service on another machine");
}
