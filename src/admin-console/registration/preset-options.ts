import { HOST_PRESETS } from "#clients/approvals.ts";

const LABELS: Readonly<Record<string, string>> = {
  chatgpt: "ChatGPT",
  claude: "Claude",
  "claude-code": "Claude Code",
  cursor: "Cursor",
  vscode: "Visual Studio Code",
};

/** The hosts that can be approved by name, as the choices of a form, each with the addresses that it stands for. */
export const PRESET_OPTIONS = Object.entries(HOST_PRESETS).map(([value, patterns]) => {
  const isLocal = patterns.some((pattern) => pattern.startsWith("http://"));
  const warning = isLocal ? " Any program on the person’s own computer can have such an address." : "";
  return { value, label: LABELS[value] ?? value, hint: `${patterns.join(", ")}.${warning}` };
});
