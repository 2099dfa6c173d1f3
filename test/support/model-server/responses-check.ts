import {
  type Fields,
  fields,
  invalid,
  isObject,
  list,
  ModelRefusedError,
  onlyKnown,
  replayedArguments,
  text,
  toolName,
  typed,
} from "./refusal.ts";
import { type Issued, sealed } from "./responses-reply.ts";
import { checkTools } from "./tool-check.ts";

const KNOWN = [
  "model",
  "input",
  "instructions",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "stream",
  "stream_options",
  "store",
  "include",
  "reasoning",
  "text",
  "truncation",
  "temperature",
  "top_p",
  "max_output_tokens",
  "max_tool_calls",
  "metadata",
  "user",
  "safety_identifier",
  "prompt_cache_key",
  "previous_response_id",
  "service_tier",
  "background",
];

const INCLUDABLE = [
  "file_search_call.results",
  "web_search_call.results",
  "web_search_call.action.sources",
  "message.input_image.image_url",
  "computer_call_output.output.image_url",
  "code_interpreter_call.outputs",
  "reasoning.encrypted_content",
  "message.output_text.logprobs",
];

/** What POST /v1/responses refuses. Where each was seen stands in the test. */
export function checkResponses(
  body: Fields,
  options: { readonly issued: Issued; readonly reasoningModel: boolean; readonly secret: string },
): void {
  onlyKnown(body, KNOWN);
  if (body.stream_options !== undefined && body.stream !== true) {
    throw invalid(
      "stream_options",
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
    );
  }
  checkInclude(body.include, options.reasoningModel);
  if (body.previous_response_id !== undefined) {
    throw invalid(
      "previous_response_id",
      `Previous response with id '${String(body.previous_response_id)}' not found.`,
      "previous_response_not_found",
    );
  }
  if (body.instructions !== undefined) text(body.instructions, "instructions");
  // Where `strict` is left out this API takes the schema for a strict one.
  checkTools(body.tools, { strictByDefault: true });
  if (typeof body.input === "string") {
    text(body.input, "input");
    return;
  }
  checkInput(list(body.input, "input"), { ...options, model: String(body.model) });
}

function checkInclude(include: unknown, reasoningModel: boolean): void {
  for (const wanted of Array.isArray(include) ? include : []) {
    if (!INCLUDABLE.includes(wanted)) {
      throw invalid(
        "include[0]",
        `Invalid value: '${String(wanted)}'. Supported values are: ${INCLUDABLE.map((name) => `'${name}'`).join(", ")}.`,
      );
    }
    if (wanted === "reasoning.encrypted_content" && !reasoningModel) {
      throw invalid("include", "Encrypted content is not supported with this model.");
    }
  }
}

interface InputContext {
  readonly issued: Issued;
  readonly model: string;
  readonly secret: string;
}

function checkInput(items: readonly unknown[], context: InputContext): void {
  const called = new Set<string>();
  const answered = new Set<string>();
  const given = new Set(
    items.flatMap((item) => (isObject(item) && typeof item.id === "string" ? [item.id] : [])),
  );
  items.forEach((value, index) => {
    const param = `input[${index}]`;
    const item = fields(value, param);
    switch (item.type ?? "message") {
      case "message":
        checkMessage(item, param);
        checkThought(item, given, context);
        return;
      case "function_call":
        checkId(item, param, "fc");
        called.add(text(item.call_id, `${param}.call_id`, { most: 64 }));
        toolName(item.name, `${param}.name`);
        replayedArguments(item.arguments, `${param}.arguments`);
        checkThought(item, given, context);
        return;
      case "function_call_output": {
        const id = text(item.call_id, `${param}.call_id`, { most: 64 });
        text(item.output, `${param}.output`);
        if (!called.has(id))
          throw new ModelRefusedError(
            400,
            `No tool call found for function call output with call_id ${id}.`,
            { param: "input" },
          );
        if (answered.has(id))
          throw new ModelRefusedError(400, `Duplicate function call output for call_id ${id}.`, {
            param: "input",
          });
        answered.add(id);
        return;
      }
      case "reasoning":
        checkReasoning(item, { param, next: items[index + 1], context });
        return;
      default:
        throw invalid(`${param}.type`, `Invalid value: '${String(item.type)}'.`);
    }
  });
  const open = [...called].find((id) => !answered.has(id));
  if (open !== undefined) {
    throw new ModelRefusedError(400, `No tool output found for function call ${open}.`, {
      param: "input",
    });
  }
}

function checkId(item: Fields, param: string, prefix: string): void {
  if (item.id === undefined) return;
  const id = text(item.id, `${param}.id`, { most: 64 });
  if (!id.startsWith(prefix)) {
    throw invalid(
      `${param}.id`,
      `Invalid '${param}.id': '${id}'. Expected an ID that begins with '${prefix}'.`,
    );
  }
}

function checkMessage(item: Fields, param: string): void {
  const roles = ["user", "assistant", "system", "developer"];
  if (!roles.includes(String(item.role))) {
    throw invalid(
      `${param}.role`,
      `Invalid value: '${String(item.role)}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.`,
    );
  }
  checkId(item, param, "msg");
  if (typeof item.content === "string") {
    if (item.id !== undefined) throw typed(`${param}.content`, item.content, "an array of objects");
    text(item.content, `${param}.content`);
    return;
  }
  const expected = item.role === "assistant" ? "output_text" : "input_text";
  list(item.content, `${param}.content`).forEach((value, index) => {
    const place = `${param}.content[${index}]`;
    const part = fields(value, place);
    if (part.type !== expected)
      throw invalid(
        `${place}.type`,
        `Invalid value: '${String(part.type)}'. Supported values are: '${expected}'.`,
      );
    text(part.text, `${place}.text`);
  });
}

/** An item that bears the id it was given out with needs the thought that led to it. */
function checkThought(item: Fields, given: ReadonlySet<string>, { issued }: InputContext): void {
  const thought = typeof item.id === "string" ? issued.get(item.id) : undefined;
  if (thought === undefined || given.has(thought)) return;
  throw new ModelRefusedError(
    400,
    `Item '${String(item.id)}' of type '${String(item.type)}' was provided without its required 'reasoning' item: '${thought}'.`,
    { param: "input" },
  );
}

function checkReasoning(
  item: Fields,
  { param, next, context }: { param: string; next: unknown; context: InputContext },
): void {
  checkId(item, param, "rs");
  if (!Array.isArray(item.summary)) {
    throw invalid(
      `${param}.summary`,
      `Missing required parameter: '${param}.summary'.`,
      "missing_required_parameter",
    );
  }
  if (typeof item.encrypted_content !== "string") {
    throw new ModelRefusedError(
      404,
      `Item with id '${String(item.id)}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
      { param: "input" },
    );
  }
  if (item.encrypted_content !== sealed(String(item.id), context)) {
    throw new ModelRefusedError(
      400,
      `The encrypted content for item ${String(item.id)} could not be verified.`,
      { code: "invalid_encrypted_content" },
    );
  }
  const follows =
    isObject(next) &&
    (next.type === "function_call" || next.type === "reasoning" || next.role === "assistant");
  const unpaired = follows && typeof next.id !== "string" && next.type !== "reasoning";
  if (!follows || unpaired) {
    throw new ModelRefusedError(
      400,
      `Item '${String(item.id)}' of type 'reasoning' was provided without its required following item.`,
      { param: "input" },
    );
  }
}

export function responsesTooLong(): ModelRefusedError {
  return new ModelRefusedError(
    400,
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
    {
      param: "input",
      code: "context_length_exceeded",
    },
  );
}
