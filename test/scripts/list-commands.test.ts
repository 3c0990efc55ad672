import { describe, expect, it } from "vitest";
import { CLIENT_LIST } from "#clients/client-list.ts";
import { PEOPLE_LIST } from "#people/people-list.ts";
import { TOKEN_LIST } from "#service-tokens/token-list.ts";
import { clientCommands } from "../../scripts/admin/client-commands.ts";
import { personCommands } from "../../scripts/admin/person-commands.ts";
import { tokenCommands } from "../../scripts/admin/token-commands.ts";

describe("a command that lists something", () => {
  it.each([
    ["client list <instance>", clientCommands, CLIENT_LIST],
    ["person list <instance>", personCommands, PEOPLE_LIST],
    ["token list <instance>", tokenCommands, TOKEN_LIST],
  ])("offers every filter of the Admin API that has fixed values, and names these: %s", (usage, commands, list) => {
    const options = [...commands].find((command) => command.usage === usage)?.options ?? {};
    for (const [name, values] of Object.entries<readonly string[] | null>(list.filters)) {
      if (values === null) continue;
      expect(options[`--${name} <${name}>`]?.split(/, | or /)).toEqual(values);
    }
  });
});
