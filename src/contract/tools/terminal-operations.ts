import { z } from "zod";
import {
  DETAIL_CHARS,
  detail,
  details,
  fileName,
  LINE_CHARS,
  naming,
  quoting,
  saying,
  short,
} from "../display.ts";
import { defineTool } from "./operation.ts";
import { flag, integer, isSet, text } from "./params.ts";

/** How much of a command's output one result carries; the rest stays in the terminal's history. */
export const OUTPUT_LIMIT_CHARS = 60 * 1024;
/** What a terminal keeps. Older output is dropped, its indices stay counted. Even if every character is escaped, all of it fits one line of the channel. */
export const RING_LIMIT_CHARS = 1024 * 1024;
const DEFAULT_TIMEOUT_SECONDS = 300;

const sessionId = text("session_id").describe("Id of the terminal, from create_session.");

export const terminalOperations = defineTool({
  name: "terminal_operations",
  position: 140,
  description:
    "Run commands in this thread's terminal, a login shell (bash, unless people chose another) that keeps its directory, environment and " +
    "functions from command to command. Before you ssh anywhere, check where you are (hostname, pwd): " +
    "a remote shell swallows every following command until you leave it.",
  operations: {
    run_command: {
      summary: "run a command and wait for it, or start it in the background",
      repeat: "unsafe",
      level: "standard",
      category: "command",
      execution: (args) => (isSet(args.isBackground) ? "parallel" : "blocking"),
      line: quoting("Running", "command", LINE_CHARS.command),
      details: (args) =>
        details(
          detail("Command", short(args.command, DETAIL_CHARS.command)),
          isSet(args.isBackground) ? "in the background" : "in the foreground",
          detail("In", fileName(args.working_directory)),
        ),
      params: z.object({
        command: text("command").describe("The shell command; several lines are fine."),
        explanation: z.string().optional().describe("One sentence for the people in the thread."),
        isBackground: flag()
          .default(false)
          .describe("Start it and return its id at once, e.g. for a server."),
        working_directory: text("working_directory")
          .optional()
          .describe("Directory to run in; relative to the workspace."),
        timeout: integer({ min: 1, max: 86_400 })
          .default(DEFAULT_TIMEOUT_SECONDS)
          .describe("Seconds until the command is stopped."),
      }),
    },
    get_terminal_output: {
      summary: "output of a background command so far",
      repeat: "safe",
      level: "safe",
      category: "read",
      line: saying("Reading background output"),
      details: (args) => details(detail("Process", short(args.id, DETAIL_CHARS.input))),
      params: z.object({
        id: text("id").describe("Id that run_command returned for the background command."),
      }),
    },
    get_terminal_buffer: {
      summary: "what a person would see on the terminal's screen now",
      repeat: "safe",
      level: "safe",
      category: "read",
      line: saying("Looking at the terminal"),
      params: z.object({}),
    },
    get_last_command: {
      summary: "the terminal's last command, its start time and exit code",
      repeat: "safe",
      level: "safe",
      category: "read",
      line: saying("Looking up the last command"),
      params: z.object({}),
    },
    get_terminal_selection: {
      summary: "the text that the user pointed at",
      repeat: "safe",
      level: "safe",
      category: "read",
      line: saying("Reading the selected text"),
      params: z.object({}),
    },
    create_directory: {
      summary: "create a directory and its parents",
      repeat: "unsafe",
      level: "standard",
      category: "write",
      execution: "serial",
      line: naming("Creating directory", "dirPath"),
      details: (args) => details(detail("Directory", fileName(args.dirPath))),
      params: z.object({ dirPath: text("dirPath").describe("Directory to create.") }),
    },
    create_session: {
      summary: "open the thread's terminal, or find the open one",
      repeat: "unsafe",
      level: "standard",
      category: "session",
      execution: "serial",
      line: saying("Creating terminal session"),
      details: (args) => details(detail("In", fileName(args.working_directory))),
      params: z.object({
        conversation_id: text("conversation_id")
          .optional()
          .describe("This conversation; optional."),
        working_directory: text("working_directory")
          .optional()
          .describe("Directory to start in; relative to the workspace."),
        encoding: z
          .enum(["utf8", "cp437"])
          .optional()
          .describe("Text encoding of its programs; cp437 for old DOS programs, otherwise utf8."),
      }),
    },
    send_input: {
      summary: "type into the terminal, exactly as given; end with \\r to press Enter",
      repeat: "unsafe",
      level: "standard",
      category: "session",
      execution: "serial",
      line: quoting("Sending to terminal", "input", LINE_CHARS.input),
      details: (args) => details(detail("Input", short(args.input, DETAIL_CHARS.input))),
      params: z.object({
        session_id: sessionId,
        input: z
          .string()
          .min(1, "input must not be empty")
          .describe("Keystrokes; nothing is added."),
      }),
    },
    get_output: {
      summary: "terminal output from an index",
      repeat: "safe",
      level: "safe",
      category: "session",
      line: saying("Reading terminal output"),
      params: z.object({
        session_id: sessionId,
        from_index: integer({ min: 0 }).default(0).describe("end_index of the previous result."),
      }),
    },
    get_history: {
      summary: "all output that the terminal still keeps",
      repeat: "safe",
      level: "safe",
      category: "session",
      line: saying("Reading terminal history"),
      params: z.object({ session_id: sessionId }),
    },
    close_session: {
      summary: "close the terminal and end its programs",
      repeat: "unsafe",
      level: "safe",
      category: "session",
      execution: "serial",
      line: saying("Closing terminal session"),
      params: z.object({ session_id: sessionId }),
    },
  },
});
