import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../scripts/admin/commands.ts";
import type { AdminContext } from "../../scripts/admin/context.ts";
import { explainFailure, exitCodeOf } from "../../scripts/admin/failures.ts";
import { makeProgram, runCommand, wordsOf } from "../../scripts/admin/program.ts";

/** A context without a database or Worker: a command that needs either fails. */
function nowhere(printed: string[]): AdminContext {
  const fail = () => {
    throw new Error("asked");
  };
  return {
    print: (line) => void printed.push(line),
    complain: () => undefined,
    placeOf: () => ({ address: "http://{instance}.localhost", masterKeys: undefined, openDatabase: fail }),
    send: fail,
  };
}

/** Runs a command line, and returns what it prints and how it fails. */
async function run(
  line: string,
): Promise<{ readonly printed: string; readonly failure: string; readonly exit: number }> {
  const printed: string[] = [];
  try {
    await runCommand(line.split(" "), nowhere(printed));
    return { printed: printed.join("\n"), failure: "", exit: 0 };
  } catch (error) {
    return { printed: printed.join("\n"), failure: explainFailure(error), exit: exitCodeOf(error) };
  }
}

/** Returns why the program does not understand a line, or `undefined` if it does. The command is not run. */
async function mistakeIn(words: readonly string[]): Promise<string | undefined> {
  const silent = { writeOut: () => undefined, writeErr: () => undefined };
  const program = makeProgram(() => Promise.resolve(), silent, {});
  return program.parseAsync([...words], { from: "user" }).then(
    () => undefined,
    (error: unknown) => explainFailure(error),
  );
}

/** Returns the words of a line as a shell reads it, up to a pipe, redirection or comment. A placeholder is one word. */
function shellWords(line: string): string[] {
  const words =
    line
      .replaceAll(/<[^<>`]*>/g, "x")
      .replaceAll(/[[\]]/g, "")
      .match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  const end = words.findIndex((word) => /^[<>|#)&]/.test(word));
  return (end < 0 ? words : words.slice(0, end)).map((word) => word.replaceAll(/["']|\)+$/g, ""));
}

describe("the commands in the documentation and in help", () => {
  it("are all understood by the program", async () => {
    const lines = ["README.md", ...globSync("{docs,src}/**/*.md")].flatMap((path) => {
      const text = readFileSync(path, "utf8").replaceAll("\\\n", " ");
      return [...text.matchAll(/npm run (?:--silent )?admin -- ([a-z][^`\n]*)/g)].map(([, line = ""]) => ({
        path,
        line,
      }));
    });
    const examples = COMMANDS.flatMap(({ examples: shown }) => shown.map((line) => ({ path: "help", line })));
    // A page may name a command without its arguments.
    const names = new Set(COMMANDS.map(({ usage }) => wordsOf(usage).join(" ")));
    expect(lines.length).toBeGreaterThan(30);
    for (const { path, line } of [...lines, ...examples]) {
      const words = shellWords(line);
      if (words.includes("…") || words[0] === "help" || names.has(words.join(" "))) continue;
      expect({ path, line, mistake: await mistakeIn(words) }).toEqual({ path, line, mistake: undefined });
    }
  });
});

describe("the command line", () => {
  it("has help for each command, with an example", async () => {
    for (const { usage, examples } of COMMANDS) {
      const { printed, exit } = await run(`${wordsOf(usage).join(" ")} --help`);
      expect({ usage, exit }).toEqual({ usage, exit: 0 });
      expect(printed).toContain(`npm run admin -- ${examples[0]}`);
    }
    expect((await run("help")).printed).toContain("token rotate <instance> <token-id>");
    expect((await run("help token rotate")).printed).toMatch(/--now +end the old secret at once[^]*Examples:/);
    expect((await run("token --help")).printed).toContain("revoke");
    expect((await run("help settings set")).printed).toMatch(/\n +grantIdleSeconds\n.*; 2592000 by default\n/);
  });

  it.each([
    ["tokens list acme", "Unknown command 'tokens' (Did you mean token?). See: npm run admin -- help"],
    ["token lst acme", "Unknown command 'lst' (Did you mean list?). See: npm run admin -- help"],
    ["token list acme --jsn", "Unknown option '--jsn' (Did you mean --json?). See: npm run admin -- help token list"],
    ["token list", "Missing required argument 'instance'. See: npm run admin -- help token list"],
    ["token list acme more", "(Expected|Too many arguments)"],
    ["client create acme --name", "Option '--name <name>' argument missing. See: npm run admin -- help client create"],
    ["token revoke acme -Kc3", "Unknown option '-Kc3' (If -Kc3 is no option, put -- before it)"],
  ])("exits 2 and says in one line what is wrong with: %s", async (line, said) => {
    const { failure, exit } = await run(line);
    expect(exit).toBe(2);
    if (said.startsWith("(")) expect(failure).toMatch(new RegExp(said));
    else expect(failure).toContain(said);
    expect(failure).not.toContain("\n");
  });

  it("prints results as JSON with --json", async () => {
    const { printed } = await run("issuer presets --json");
    const { items, total } = JSON.parse(printed) as { items: { name: string }[]; total: number };
    expect(total).toBe(items.length);
    expect(items.map(({ name }) => name)).toContain("okta");
  });
});
