import { type CommandTokens, SETUP_PATH } from "#admin-api/command-token.ts";
import { isWhere, JURISDICTIONS, REGIONS } from "#documents/sharding/layout.ts";
import { requireEmail } from "#people/person.ts";
import { parseSettings } from "#settings/settings.ts";
import type { DatabaseCommand } from "./command.ts";
import { ACTOR } from "./context.ts";
import { createInstance } from "./create-instance.ts";
import { UsageError } from "./failures.ts";
import { table } from "./table.ts";

export const instanceCommands: readonly DatabaseCommand[] = [
  {
    asks: "database",
    usage: "instance create <instance>",
    purpose: "create an instance, with its first owner, and print a link to connect its single sign-on",
    examples: ["instance create acme --admin ada@example.com --if-absent"],
    options: {
      "--admin <email>": "the first owner, from their first sign-in",
      "--documents-in <place>": `where its documents are kept: the jurisdiction ${JURISDICTIONS.join(" or ")}, which they never leave, or near a region: ${REGIONS.join(", ")}`,
      "--if-absent": "if the instance exists, change nothing and exit 0",
    },
    async run(input, { services }, _send, { address }) {
      const { administrationOf, instances, setupTokens } = services;
      const name = input.word("instance");
      const email = input.option("admin");
      if (email !== undefined) requireEmail(email);
      const where = input.option("documents-in") ?? null;
      if (where !== null && !isWhere(where)) {
        throw new UsageError(`--documents-in takes ${[...JURISDICTIONS, ...REGIONS].join(", ")}, not "${where}"`);
      }
      const existing = input.flag("if-absent") ? await instances.find(name) : null;
      if (existing) {
        const lines = [`The instance ${name} already exists; nothing was changed.`];
        if (email !== undefined) lines.push(`To make ${email} an owner: person role ${name} ${email} owner`);
        return { answer: { name, created: false }, lines };
      }
      const instance = await createInstance(services, name, ACTOR, where);
      const lines = [
        `Created the instance ${name}. OAuth is off. To turn it on: npm run admin -- oauth enable ${name}`,
      ];
      if (email !== undefined) {
        await administrationOf(instance, ACTOR).people.nameRole(email, "owner");
        lines.push(`${email} becomes its owner when they first sign in.`);
      }
      const setupUrl = await setupUrlOf(name, address, setupTokens);
      lines.push(`To connect its single sign-on in a browser within an hour, once the Worker runs, open ${setupUrl}`);
      return { answer: { name, created: true, setupUrl }, lines };
    },
  },
  {
    asks: "database",
    usage: "instance setup-link <instance>",
    purpose:
      "print a link to connect its first single sign-on in a browser. It works once, for an hour, and for whoever has it",
    examples: ["instance setup-link acme --remote"],
    async run(input, { services }, _send, { address }) {
      const { name, singleSignOns } = await services.instances.require(input.word("instance"));
      if (singleSignOns.length > 0)
        throw new UsageError(`${name} has a single sign-on: sign in at /admin to change it`);
      const setupUrl = await setupUrlOf(name, address, services.setupTokens);
      return { answer: { name, setupUrl }, lines: [setupUrl] };
    },
  },
  {
    asks: "database",
    usage: "instance list",
    purpose: "list instances: whether OAuth is on, the registration policy, the SSO",
    examples: ["instance list"],
    async run(_input, { services }) {
      const items = (await services.instances.list()).map(({ name, settings, singleSignOns }) => {
        const { oauthEnabled, registration } = parseSettings(settings);
        return { name, oauthEnabled, registration, issuers: singleSignOns.map(({ issuer }) => issuer) };
      });
      const rows = items.map((each) => [
        each.name,
        each.oauthEnabled ? "on" : "off",
        each.registration,
        each.issuers.join(" "),
      ]);
      return {
        answer: { items, total: items.length },
        lines: table("instances", ["instance", "oauth", "registration", "sso"], rows),
      };
    },
  },
];

async function setupUrlOf(name: string, address: string, tokens: CommandTokens): Promise<string> {
  const { origin } = new URL(address.replace("{instance}", name));
  return `${origin}${SETUP_PATH}?token=${await tokens.make(name, origin, SETUP_PATH)}`;
}
