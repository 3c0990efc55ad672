import type { TokenExplanation } from "#resource-server/authentication/token-explanation.ts";
import type { ApiCommand } from "./command.ts";
import { CommandLineError } from "./failures.ts";
import { givenOptions } from "./option-values.ts";
import { readStandardInput } from "./standard-input.ts";

type Explanation = Omit<TokenExplanation, "code" | "decoded"> & { readonly code: string | null };

const MARKS = { holds: "ok  ", fails: "FAIL", open: "    " } as const;

/**
 * Reads the token from standard input. On the command line it would show in the process list and stay in the shell's history.
 */
export const explainCommand: ApiCommand = {
  asks: "api",
  usage: "issuer explain <instance>",
  purpose: "read a token from standard input and show how the gate decides, check by check",
  examples: ["issuer explain acme --header < token.txt"],
  options: {
    "--header": "as if it were sent with the header that announces an identity provider's token",
    "--route <call>": 'the call, such as "POST /rest/api/v1/chat"; a search by default',
    "--address <ip>": "the caller's IP address",
  },
  members: { isExternal: "--header" },
  async run(input, api) {
    const token = await readStandardInput();
    if (token === "") {
      throw new CommandLineError("Give the token on standard input: npm run admin -- issuer explain acme < token.txt");
    }
    const answer = await api.call<Explanation>("POST", "/token-explanations", {
      token,
      isExternal: input.flag("header"),
      ...givenOptions(input, ["route", "address"]),
    });
    const { status, code, message, steps } = answer;
    return {
      answer,
      lines: [
        code === null ? `${status}: let in` : `${status} ${code}: ${message}`,
        ...steps.map(({ title, outcome, text }, index) => `${MARKS[outcome]} ${index + 1} ${title}: ${text}`),
      ],
    };
  },
};
