import { basename, resolve } from "node:path";
import { parseArgs } from "node:util";
import { EXIT, Failure } from "./failure.ts";
import { RULES_HELP } from "./permissions.ts";
import { FORMATS_HELP } from "./sources/formats.ts";
import type { ServiceOptions } from "./sync/service.ts";

export interface Options {
  readonly source: string;
  /** Absent in a dry run that compares nothing. */
  readonly service?: Pick<ServiceOptions, "url" | "token" | "fetch"> | undefined;
  readonly datasource: string;
  readonly everyone: boolean;
  readonly groups: readonly string[];
  readonly users: readonly string[];
  /** A file with rules, instead of the one beside the content. */
  readonly rules?: string | undefined;
  readonly template?: string | undefined;
  readonly exclude: readonly string[];
  readonly bytesMax: number;
  readonly pagesMax: number;
  readonly delayMilliseconds: number;
  readonly isDryRun: boolean;
  readonly mayRemoveMany: boolean;
  readonly isWatching: boolean;
  readonly isVerbose: boolean;
}

/** How the tool is called: by `npm run push` in the repository, and by its own name where it is installed. */
export const CALLED = process.env["npm_lifecycle_event"] === "push" ? "npm run push --" : "gatehouse-push";

export const HELP = `Usage: ${CALLED} <source> [options]

Pushes documents to Gatehouse and keeps them in line with their source: a second run sends only what changed, and removes what is
gone. Say who may see them, and try it with --dry-run first.

  ${CALLED} ./handbook --everyone --dry-run
  ${CALLED} ./handbook --everyone
  ${CALLED} https://docs.acme.example/guide/ --datasource guide --group engineering
  ${CALLED} https://git.acme.example/team/wiki.git --datasource wiki --group engineering \\
    --link 'https://git.acme.example/team/wiki/blob/main/{path}'

Source
  a folder             its files, and those in its folders. If it is a git repository, authors and dates come from its history, and
                       what .gitignore leaves out is left out. An export of Confluence (HTML), Notion (Markdown) or Google Drive
                       is such a folder, once it is unpacked. Symbolic links are not followed
  a git repository     an address that ends with .git, or begins with ssh:// or git@; it is cloned into a temporary folder
  a website            an http or https address of a sitemap (.xml) or of a page, whose links are followed below its folder.
                       robots.txt is respected

Where to
  GATEHOUSE_URL        the instance's address, such as https://acme-be.example.com (or --to <url>)
  GATEHOUSE_TOKEN      a token for the Indexing API, which an administrator creates. Only from the environment: other users of a
                       computer can see the command line
  --to <url>           instead of GATEHOUSE_URL
  --datasource <name>  the datasource; by default, the name of the folder or the host. Use one for each source: documents that an
                       earlier run sent to it and that are no longer in the source are removed

Who may see it (nothing is pushed until you say so; on a terminal, you are asked)
  --everyone           everyone who signs in
  --group <name>       members of this group; can be repeated
  --user <email>       this person; can be repeated
  --rules <file>       rules for parts of the source, instead of a file GATEHOUSE_ACCESS in it

${RULES_HELP.split("\n")
  .map((line) => (line === "" ? line : `  ${line}`))
  .join("\n")}

What
  --exclude <pattern>  leave out what matches, as in .gitignore; can be repeated. So does a file .gatehouseignore. Names that begin
                       with a dot, and node_modules, are always left out
  --link <template>    where documents open: {path}, {stem} (without its ending) and {name} are replaced. By default, people open a
                       page in Gatehouse
  --max-mb <number>    the largest file that is read (50)
  --max-pages <number> the most pages of a website (10000)
  --delay <ms>         the pause between two requests to a website (250), at least what its robots.txt asks for

How
  --dry-run            show what would be visible to whom, and send nothing. Without a token, nothing is compared with the service
  --remove             also remove more than 20 % of the documents. Without it, so many are held: it may be the wrong folder
  --watch              continue, and push a folder again when something in it changes
  --verbose            list every file, and every reason
  --help               show this text

Formats
${FORMATS_HELP.split("\n")
  .map((line) => `  ${line}`)
  .join("\n")}
  Long files become several documents, one for some chapters or pages; every sheet is one.

Exit codes
  0 done   1 failed   2 not started: the command, the permissions or the source   3 done, but some files could not be read
  4 done, but the removal of more than 20 % of the documents was held
`;

/** Reads the command line and the environment. @returns `undefined` if it asks for help @throws {Failure} if something is wrong */
export function parseOptions(args: readonly string[], environment: NodeJS.ProcessEnv): Options | undefined {
  const { values, positionals } = readArguments(args);
  if (values.help === true) return undefined;
  const [source, ...others] = positionals;
  if (source === undefined) throw wrong("Name a folder, a website or a git repository.");
  if (others.length > 0) throw wrong(`Push one source at a time, not also "${others[0]}".`);
  const { everyone = false, group: groups = [], user: users = [], rules } = values;
  const isGiven = everyone || groups.length > 0 || users.length > 0;
  if (isGiven && rules !== undefined) throw wrong("Give either --rules, or --everyone, --group and --user.");
  if (everyone && (groups.length > 0 || users.length > 0)) throw wrong("--everyone includes all groups and users.");
  const isDryRun = values["dry-run"] === true;
  const datasource = values.datasource?.toLowerCase() ?? datasourceOf(source);
  if (!/^[a-z0-9][a-z0-9_-]{0,49}$/.test(datasource)) {
    throw wrong("--datasource takes up to 50 letters, digits, dashes and underscores.");
  }
  return {
    source,
    service: serviceOf(values.to ?? environment["GATEHOUSE_URL"], environment["GATEHOUSE_TOKEN"], isDryRun),
    datasource,
    everyone,
    groups,
    users,
    rules,
    template: templateOf(values.link),
    exclude: values.exclude ?? [],
    bytesMax: numberOf("--max-mb", values["max-mb"] ?? "50", 1, 1000) * 1e6,
    pagesMax: numberOf("--max-pages", values["max-pages"] ?? "10000", 1, 100_000),
    delayMilliseconds: numberOf("--delay", values.delay ?? "250", 0, 60_000),
    isDryRun,
    mayRemoveMany: values.remove === true,
    isWatching: values.watch === true,
    isVerbose: values.verbose === true,
  };
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        to: { type: "string" },
        datasource: { type: "string" },
        everyone: { type: "boolean" },
        group: { type: "string", multiple: true },
        user: { type: "string", multiple: true },
        rules: { type: "string" },
        exclude: { type: "string", multiple: true },
        link: { type: "string" },
        "max-mb": { type: "string" },
        "max-pages": { type: "string" },
        delay: { type: "string" },
        "dry-run": { type: "boolean" },
        remove: { type: "boolean" },
        watch: { type: "boolean" },
        verbose: { type: "boolean" },
        help: { type: "boolean" },
      },
    });
  } catch (error) {
    if (args.some((word) => word.startsWith("--token"))) {
      throw wrong("A token on the command line can be seen by others: set GATEHOUSE_TOKEN in the environment.");
    }
    throw wrong(`${(error as Error).message.split(". ")[0]}.`);
  }
}

function serviceOf(url: string | undefined, token: string | undefined, isDryRun: boolean): Options["service"] {
  if (token === undefined || token === "" || url === undefined) {
    if (isDryRun) return undefined;
    throw wrong(`Set ${url === undefined ? "GATEHOUSE_URL (or --to)" : "GATEHOUSE_TOKEN"} in the environment.`);
  }
  const { protocol, hostname, origin, username, password } = URL.parse(url) ?? {};
  if (origin === undefined || (protocol !== "https:" && protocol !== "http:") || username !== "" || password !== "") {
    throw wrong("The instance's address is one such as https://acme-be.example.com.");
  }
  const isLocal = /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname ?? "");
  if (protocol === "http:" && !isLocal) throw wrong("Use https: anybody on the way could read the token.");
  return { url: origin, token };
}

function templateOf(template: string | undefined): string | undefined {
  if (template === undefined) return undefined;
  if (/^https?:\/\/\S+$/.test(template) && /\{(path|stem|name)\}/.test(template)) return template;
  throw wrong("--link takes an address with {path}, {stem} or {name}, such as https://wiki.acme.example/{stem}.");
}

/** Makes a name from the folder's, the repository's or the host's. */
export function datasourceOf(source: string): string {
  const host = /^https?:/.test(source) && !source.endsWith(".git") ? URL.parse(source)?.hostname : undefined;
  const name = host ?? basename(resolve(source.replace(/\/+$/, ""))).replace(/\.git$/, "");
  return name
    .replaceAll(/[^A-Za-z0-9_-]+/g, "-")
    .replaceAll(/^[-_]+|-+$/g, "")
    .slice(0, 50)
    .toLowerCase();
}

function numberOf(option: string, value: string, from: number, to: number): number {
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < from || number > to) {
    throw wrong(`${option} takes a number from ${from} to ${to}, not "${value}".`);
  }
  return number;
}

function wrong(message: string): Failure {
  return new Failure(`${message} For help: ${CALLED} --help`, EXIT.refused);
}
