import { Command, CommanderError, Option, type OutputConfiguration } from "commander";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { AdminApiRefused } from "./admin-api.ts";
import { linkToApi } from "./api-link.ts";
import type { AdminCommand, Input, OptionTexts, Outcome } from "./command.ts";
import { COMMANDS, GROUPS } from "./commands.ts";
import type { AdminContext } from "./context.ts";
import { CheckFailed, CommandLineError, UsageError } from "./failures.ts";
import { visible } from "./table.ts";

/** What precedes a command's words. */
const CALLED = "npm run admin --";

/** The options that say which deployment a command works on. */
const PLACE: Readonly<Record<AdminCommand["asks"], OptionTexts>> = {
  api: {
    "--url <address>": "the Worker's address, such as https://{instance}-be.example.com; without it, that of npm start",
    "--remote": "use the deployed Worker, whose address is INSTANCE_HOST in wrangler.toml",
    "--token-file <file>":
      "use the admin token in this file; without it, the one in GATEHOUSE_TOKEN, or else the master keys",
  },
  database: { "--remote": "open the deployed database (MASTER_KEYS in the environment)" },
  nobody: {},
};

/**
 * Runs the command that a command line names.
 *
 * @returns the command's result
 * @throws {CommandLineError} for a line that isn't a command, and the errors of the command
 */
export async function runCommand(args: readonly string[], context: AdminContext): Promise<unknown> {
  let answer: unknown = {};
  let complaint = "";
  const output = {
    writeOut: (text: string) => context.print(text.trimEnd()),
    writeErr: (text: string) => void (complaint += text),
  };
  const carryOn = async (command: AdminCommand, input: Input) => {
    answer = await carryOut(command, input, context);
  };
  const program = makeProgram(carryOn, output, context);
  try {
    const [first = "help", ...named] = args;
    // The parser's own `help` only reads the first word.
    const line = first === "help" && named.length > 0 ? [...named, "--help"] : [first, ...named];
    await program.parseAsync(line, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw new CommandLineError(sayWrong(error, complaint, args));
  }
  return answer;
}

/** Returns the text of `npm run admin -- help`, which lists every command. */
function helpText(): string {
  const lines = COMMANDS.map(({ usage, purpose }) => `  ${usage}\n      ${purpose}`);
  return [
    `${CALLED} <command>            on the Worker that npm start runs here`,
    `${CALLED} <command> --remote   on the deployed one (GATEHOUSE_TOKEN or MASTER_KEYS in the environment)`,
    `${CALLED} help <command>       its options, with an example`,
    "",
    ...lines,
    "",
    "Lists and answers are printed as JSON with --json. A command exits 0 if it succeeded, 1 if not, and 2 if the command line has a mistake.",
  ].join("\n");
}

/** Builds the tree of commands. Each passes itself and what was typed to `carryOn`. */
export function makeProgram(
  carryOn: (command: AdminCommand, input: Input) => Promise<void>,
  output: OutputConfiguration,
  context: Pick<AdminContext, "ask">,
): Command {
  const program = new Command(CALLED)
    .exitOverride()
    .configureOutput(output)
    .helpCommand("help [command...]", "show a command's options, with an example");
  program.helpInformation = () => `${helpText()}\n`;
  for (const command of COMMANDS) {
    const [name = "", ...groups] = wordsOf(command.usage).toReversed();
    const parent = groups.reduceRight((into, group) => groupIn(into, group), program);
    const leaf = parent.command(name).description(command.purpose);
    for (const argument of command.usage.match(/[<[][^\s]+/g) ?? []) leaf.argument(argument);
    for (const option of optionsOf(command)) leaf.addOption(option);
    const examples = command.examples.map((line) => `  ${CALLED} ${line}`);
    leaf.addHelpText("after", ["", "Examples:", ...examples, "", ...(command.more ?? [])].join("\n").trimEnd());
    leaf.action(() => carryOn(command, inputOf(leaf, context)));
  }
  return program;
}

/** Returns the words that name a command. */
export function wordsOf(usage: string): string[] {
  return usage.split(" ").filter((word) => !/^[<[]/.test(word));
}

/** Returns the options of a command, required ones first. */
function optionsOf({ asks, needs = {}, options = {}, asksFirst = false, printsFile = false }: AdminCommand): Option[] {
  const usual = {
    ...options,
    ...(asksFirst ? { "--yes": "do it without asking" } : {}),
    ...PLACE[asks],
    ...(printsFile ? {} : { "--json": "print JSON, with the names of the Admin API" }),
  };
  return [
    ...Object.entries(needs).map(([flags, text]) => optionOf(flags, `${text} (required)`).makeOptionMandatory()),
    ...Object.entries(usual).map(([flags, text]) => optionOf(flags, text)),
  ];
}

function optionOf(flags: string, text: string): Option {
  const isMany = flags.endsWith(" …");
  const option = new Option(flags.replace(/ …$/, ""), isMany ? `${text}; repeat it for more` : text);
  return isMany ? option.argParser((value, before: string[] | undefined) => [...(before ?? []), value]) : option;
}

function groupIn(parent: Command, name: string): Command {
  const known = parent.commands.find((each) => each.name() === name);
  return (
    known ??
    parent
      .command(name)
      .helpCommand(false)
      .description(GROUPS[name] ?? "")
  );
}

function inputOf(leaf: Command, { ask }: Pick<AdminContext, "ask">): Input {
  const values = leaf.opts<Readonly<Record<string, unknown>>>();
  const value = (name: string) => values[name.replaceAll(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase())];
  const argument = (name: string): unknown =>
    leaf.processedArgs[leaf.registeredArguments.findIndex((each) => each.name() === name)];
  const option = (name: string) => {
    const given = value(name);
    return typeof given === "string" ? given : undefined;
  };
  return {
    word: (name) => {
      const word = argument(name);
      return typeof word === "string" ? word : "";
    },
    words: (name) => (argument(name) as readonly string[] | undefined) ?? [],
    option,
    all: (name) => (value(name) as readonly string[] | undefined) ?? [],
    flag: (name) => value(name) === true,
    ask: async (question) => ask?.(question),
    confirm: async (loss) => {
      if (value("yes") === true) return;
      const shown = loss.split("\n").map(visible).join("\n") + (loss.includes("\n") ? "\n" : " ");
      if (!ask) throw new UsageError(`${shown}Nothing was changed: add --yes to do it without asking`);
      if (!/^y(es)?$/i.test((await ask(`${shown}Continue? (yes/no) `)).trim())) {
        throw new UsageError("Nothing was changed");
      }
    },
  };
}

async function carryOut(command: AdminCommand, input: Input, context: AdminContext): Promise<unknown> {
  const outcome = await outcomeOf(command, input, context).catch((error: unknown) => {
    throw inItsOptions(error, command);
  });
  const { answer, lines, notes = [], failure } = outcome;
  if (input.flag("json")) context.print(JSON.stringify(answer, null, 2));
  else for await (const line of lines) context.print(command.printsFile ? line : visible(line));
  for (const note of notes) context.complain(note);
  if (failure !== undefined) throw new CheckFailed(failure);
  return answer;
}

async function outcomeOf(command: AdminCommand, input: Input, context: AdminContext): Promise<Outcome> {
  if (command.asks === "nobody") return command.run(input);
  if (command.asks === "api") return command.run(input, linkToApi(context, input));
  const place = context.placeOf(input.flag("remote"));
  const database = await place.openDatabase();
  try {
    return await command.run(input, database, context.send, place);
  } finally {
    await database.close();
  }
}

/**
 * Rewrites a refusal that names a wrong member so that it names the option instead, because that is what the person typed.
 */
function inItsOptions(error: unknown, { members = {}, needs, options }: AdminCommand): unknown {
  const member =
    error instanceof AdminApiRefused ? error.field : error instanceof AdministrationRefused ? error.member : undefined;
  if (member === undefined || !(error instanceof Error)) return error;
  const flags = Object.keys({ ...needs, ...options }).map((each) => each.split(" ")[0] ?? "");
  const names = member.split(/[.[\]]+/).flatMap((name) => {
    const option = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return [members[name] ?? "", option, option.replace(/s$/, "")];
  });
  const option = names.find((name) => flags.includes(name));
  const said = option ?? member;
  const path = member.replaceAll(/\.(\d+)/g, "[$1]");
  if (error.message.startsWith(`${path} `)) return new UsageError(said + error.message.slice(path.length));
  return error.message.includes(said) ? error : new UsageError(`${error.message} (${said})`);
}

/** Explains in one sentence what is wrong with a command line, and which help to read. */
function sayWrong({ code, message }: CommanderError, complaint: string, args: readonly string[]): string {
  // Only the first words of a command were given: the help of the group lists its commands.
  if (code === "commander.help") return complaint.trimEnd();
  const [wrong = "", ...hints] = message.replace(/^error: /, "").split("\n");
  const dashed = args.find((word) => /^-[^-h]/.test(word));
  if (code === "commander.unknownOption" && dashed !== undefined) {
    hints.push(`(If ${dashed} is no option, put -- before it)`);
  }
  const words = args.filter((word) => /^[a-z][a-z-]*$/.test(word));
  const named = COMMANDS.find(({ usage }) => wordsOf(usage).every((word, index) => words[index] === word));
  const help = named ? `help ${wordsOf(named.usage).join(" ")}` : "help";
  return [`${wrong.slice(0, 1).toUpperCase()}${wrong.slice(1)}`, ...hints].join(" ") + `. See: ${CALLED} ${help}`;
}
