/** Control tokens of chat templates: a tokenizer reads each of them as one token, wherever it stands. */
export const TEMPLATE_TOKENS: readonly string[] = [
  "<|im_start|>", // ChatML, Qwen
  "<|im_end|>",
  "<|im_sep|>",
  "<|endoftext|>",
  "<|endofprompt|>",
  "<|fim_prefix|>",
  "<|begin_of_text|>", // Llama 3
  "<|start_header_id|>",
  "<|end_header_id|>",
  "<|eot_id|>",
  "<|eom_id|>",
  "<|python_tag|>",
  "<|reserved_special_token_17|>",
  "<|start|>", // Harmony
  "<|channel|>",
  "<|message|>",
  "<|constrain|>",
  "<|return|>",
  "<|call|>",
  "<|end|>",
  "<|user|>", // Phi, GLM
  "<|assistant|>",
  "<|system|>",
  "<|observation|>",
  "<|START_OF_TURN_TOKEN|>", // Command R
  "<|CHATBOT_TOKEN|>",
  "<BOS_TOKEN>",
  "<|start_of_role|>", // Granite
  "<|tool_calls_section_begin|>", // Kimi
  "<|turn>", // Gemma 4
  "<turn|>",
  '<|"|>',
  "<start_of_turn>", // Gemma
  "<end_of_turn>",
  "<start_of_image>",
  "<bos>",
  "<eos>",
  "<pad>",
  "<unused99>",
  "<s>", // Llama 2, Mistral
  "</s>",
  "<unk>",
  "<<SYS>>",
  "<</SYS>>",
  "<0x0A>",
  "[INST]",
  "[/INST]",
  "[TOOL_CALLS]",
  "[AVAILABLE_TOOLS]",
  "[/AVAILABLE_TOOLS]",
  "[TOOL_RESULTS]",
  "[SYSTEM_PROMPT]",
  "[/SYSTEM_PROMPT]",
  "[THINK]",
  "[ARGS]",
  "[gMASK]",
  "[CLS]",
  "[|assistant|]", // EXAONE
  "[|endofturn|]",
  "<｜begin▁of▁sentence｜>", // DeepSeek
  "<｜User｜>",
  "<｜tool▁calls▁begin｜>",
  "<think>",
  "</think>",
  "<tool_call>", // Hermes, Qwen
  "</tool_call>",
  "<tool_response>",
  "<tool_calls>",
  "<function=run_command>",
  "<parameter=command>",
  "<function_calls>",
  '<invoke name="x">',
  "<function_results>",
  "<TOOLCALL>", // Nemotron
  "<extra_id_1>",
  "<SPECIAL_12>",
  "<fim_prefix>", // StarCoder
  "<fim-middle>",
  "<PRE>", // Code Llama
  "<sop>",
  "<seed:bos>",
  "<role>",
  "]~b]", // MiniMax
  "[e~[",
];

/** What a tokenizer that normalizes and drops invisible characters sees. */
export function tokensIn(text: string): string[] {
  const read = text.normalize("NFKC").replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "");
  return TEMPLATE_TOKENS.filter((token) => read.includes(token.normalize("NFKC")));
}
