import { at, type Changed } from "./admin-api.ts";
import type { ApiCommand } from "./command.ts";
import { CommandLineError, UsageError } from "./failures.ts";
import { givenOptions } from "./option-values.ts";
import { requirePerson } from "./person-commands.ts";
import { table, time } from "./table.ts";

interface Grant {
  readonly id: string;
  readonly personEmail: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly scope: string;
  readonly createdAt: number;
  readonly lastTokensAt: number;
}

export const grantCommands: readonly ApiCommand[] = [
  {
    asks: "api",
    usage: "grant list <instance>",
    purpose: "list which apps people have allowed, and with which scopes",
    examples: ["grant list acme --person ben@example.com"],
    options: {
      "--person <email>": "only this person's",
      "--client <client-id>": "only this client's",
      "--search <text>": "a part of an email or of an app's name",
    },
    async run(input, api) {
      const email = input.option("person");
      const answer = await api.list<Grant>("/grants", {
        ...givenOptions(input, ["client", "search"]),
        ...(email === undefined ? {} : { person: (await requirePerson(api, email)).id }),
      });
      const rows = answer.items.map((grant) => [
        grant.id,
        grant.personEmail,
        grant.clientName,
        grant.clientId,
        grant.scope,
        time(grant.createdAt),
        time(grant.lastTokensAt),
      ]);
      const headers = ["grant id", "person", "app", "client id", "scope", "since", "last tokens"];
      return { answer, lines: table("grants", headers, rows) };
    },
  },
  {
    asks: "api",
    usage: "grant revoke <instance> [grant-id]",
    purpose: "revoke one grant. --all instead of an id revokes every grant",
    examples: ["grant revoke acme 7Lp…", "grant revoke acme --all"],
    options: { "--all": "revoke every grant" },
    asksFirst: true,
    async run(input, api) {
      const id = input.word("grant-id");
      if (input.flag("all") === (id !== "")) throw new CommandLineError("Give a <grant-id>, or --all for every grant");
      if (id === "") {
        await input.confirm(`Every app's access to ${api.instance} ends, and people have to allow it again.`);
        const answer = await api.call<{ readonly revoked: number }>("DELETE", "/grants");
        return { answer, lines: [`${answer.revoked} grants of ${api.instance} are revoked.`] };
      }
      await input.confirm(`The app of grant ${id} loses this person's access.`);
      const answer = await api.call<Changed>("DELETE", at`/grants/${id}`);
      if (!answer.changed) throw new UsageError(`There is no active grant ${id} in ${api.instance}`);
      return { answer, lines: [`The grant ${id} is revoked.`] };
    },
  },
];
