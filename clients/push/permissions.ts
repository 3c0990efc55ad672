import ignore, { type Ignore } from "ignore";
import { EXIT, Failure } from "./failure.ts";

/** The `permissions` of a document in the Indexing API. Empty: nobody sees it. */
export interface Permissions {
  readonly allowAnonymousAccess?: true;
  readonly allowedGroups?: string[];
  readonly allowedUsers?: { email: string }[];
}

/** Decides who may see an item; `undefined`: nothing says so, and the item must not be pushed. */
export type Visibility = (path: string) => Permissions | undefined;

/** The file beside the content that says who may see what. */
export const RULES_FILE = "GATEHOUSE_ACCESS";

export const RULES_HELP = `A file ${RULES_FILE} beside your content says who may see what, in the way of CODEOWNERS: each line has a pattern
(as in .gitignore), and then who may see the matching files. The last matching line decides.

  *              everyone
  /finance/      group:finance user:carla@acme.example
  /drafts/       nobody`;

/** Gives all items the permissions of the command line. */
export function sameForAll(everyone: boolean, groups: readonly string[], users: readonly string[]): Visibility {
  const permissions = permissionsOf([
    ...(everyone ? ["everyone"] : []),
    ...groups.map((group) => `group:${group}`),
    ...users.map((user) => `user:${user}`),
  ]);
  return () => permissions;
}

/** Reads the lines of a rules file. @throws {Failure} naming the line that is wrong */
export function parseRules(text: string, file = RULES_FILE): Visibility {
  const rules: { readonly pattern: Ignore; readonly permissions: Permissions }[] = [];
  for (const [index, line] of text
    .replace(/^\u{feff}/u, "")
    .split(/\r?\n/)
    .entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const at = `${file}, line ${index + 1}`;
    // A backslash keeps a space in the pattern, and quotes keep those in the names of groups.
    const [pattern = "", ...who] = line.trim().match(/(?:\\.|"[^"]*"|[^\s"\\])+/g) ?? [];
    if (pattern.startsWith("!")) throw new Failure(`${at}: a pattern can't begin with "!"`, EXIT.refused);
    if (who.length === 0) throw new Failure(`${at}: say who may see ${pattern}, or "nobody"`, EXIT.refused);
    try {
      rules.push({ pattern: ignore().add(pattern), permissions: permissionsOf(who) });
    } catch (error) {
      throw new Failure(`${at}: ${(error as Error).message}`, EXIT.refused);
    }
  }
  return (path) => rules.findLast(({ pattern }) => pattern.ignores(path))?.permissions;
}

/** Reads words such as `everyone`, `group:finance`, `user:ada@acme.example` and `nobody`. */
function permissionsOf(who: readonly string[]): Permissions {
  const groups: string[] = [];
  const users: string[] = [];
  for (const word of who) {
    const [, kind, name = ""] = /^(group|user):"?(.+?)"?$/.exec(word) ?? [];
    if (kind === "group") groups.push(name);
    else if (kind === "user" && /^[^\s@]+@[^\s@]+$/.test(name)) users.push(name);
    else if (kind === "user") throw new Failure(`a user is named by email address, not "${name}"`, EXIT.refused);
    else if (word !== "everyone" && word !== "nobody") {
      throw new Failure(`"${word}" is not one of everyone, nobody, group:<name>, user:<email>`, EXIT.refused);
    }
  }
  if (who.includes("nobody") && who.length > 1) throw new Failure('"nobody" excludes all others', EXIT.refused);
  if (who.includes("everyone")) return { allowAnonymousAccess: true };
  return {
    ...(groups.length > 0 && { allowedGroups: groups.toSorted() }),
    ...(users.length > 0 && { allowedUsers: users.toSorted().map((email) => ({ email })) }),
  };
}

/** Says who may see a document, for people. */
export function shownPermissions({ allowAnonymousAccess, allowedGroups = [], allowedUsers = [] }: Permissions): string {
  if (allowAnonymousAccess) return "everyone who signs in";
  const who = [...allowedGroups.map((group) => `group ${group}`), ...allowedUsers.map(({ email }) => email)];
  return who.length === 0 ? "nobody" : who.join(", ");
}
