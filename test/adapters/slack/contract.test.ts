import { decodeThread, encodeThread, type SlackPlace } from "../../../adapters/slack/thread.ts";
import { adapterContract } from "../../contracts/adapter.ts";
import { openSlackRig, type SlackMode } from "../../support/slack-rig.ts";

function under(mode: SlackMode) {
  adapterContract<SlackPlace>({
    name: mode === "socket" ? "Slack in Socket Mode" : "Slack over HTTP",
    // Over HTTP it is Slack that calls: there is no line that could be lost.
    lacks: mode === "socket" ? [] : ["reconnects"],
    threadNames: {
      places: [
        { team: "T01", channel: "C01", root: "1700000000.000100" },
        { team: "T01", channel: "C01", root: "1700000000.000101" },
        { team: "T01", channel: "C011", root: "1700000000.000100" },
        { team: "T011", channel: "C01", root: "1700000000.000100" },
        { team: "T01", channel: "D01", root: "1700000000.000100" },
      ],
      encode: encodeThread,
      decode: decodeThread,
    },
    open: async () => {
      const rig = await openSlackRig({ mode });
      const archive = rig.people.archive.bind(rig.people);
      // Slack archives channels: those threads end in which the bot has been.
      rig.people.archive = async (person, thread) => {
        await rig.adapter.post(thread, { kind: "notice", level: "info", text: "here" }, "here");
        return archive(person, thread);
      };
      return rig;
    },
  });
}

under("socket");
under("http");
