import { PRESETS } from "#issuers/presets.ts";
import type { Finding } from "#platform/finding.ts";
import { type AdminApi, at, type Changed } from "./admin-api.ts";
import type { AdminCommand, Input, Outcome } from "./command.ts";
import { CommandLineError, UsageError } from "./failures.ts";
import { CONFIGURATION_OPTIONS, MEMBERS, PRESET_OPTIONS, readConfiguration, readDraft } from "./issuer-options.ts";
import { type Issuer, lineOf, linesOf, personOf } from "./issuer-text.ts";
import { table } from "./table.ts";

/** The option that is needed if tokens don't say that an email is verified. */
const VOUCHING = "administrator, where people cannot change their address unverified; or --email-verified-claim";

export const issuerCommands: readonly AdminCommand[] = [
  {
    asks: "api",
    usage: "issuer add <instance>",
    purpose:
      "trust an identity provider's access tokens for the Client API, by a preset or by its issuer. Replaces the issuer if it is already registered. Fetches the issuer's keys unless you add --offline",
    examples: [
      "issuer add acme --preset keycloak --realm https://sso.example.com/realms/acme --client-id portal --email-domain example.com --audience gatehouse",
      "issuer add acme --issuer https://idp.example.com --client-id portal --client-id-claim azp --email-domain example.com --audience gatehouse",
    ],
    options: {
      "--issuer <url>": "the issuer, exactly as in its tokens",
      ...PRESET_OPTIONS,
      ...CONFIGURATION_OPTIONS,
      "--offline": "do not fetch its keys now",
    },
    members: MEMBERS,
    async run(input, api) {
      const draft = readDraft(input);
      const answer = await api.call<Issuer>("PUT", at`/issuers/${String(draft.issuer)}`, draft);
      const checked = input.flag("offline")
        ? { findings: [] }
        : await api.get<{ readonly findings: readonly Finding[] }>(at`/issuers/${answer.issuer}/check`);
      return { answer, lines: [...linesOf(api.instance, answer), ...checked.findings.map(lineOf)] };
    },
  },
  {
    asks: "api",
    usage: "issuer edit <instance> <issuer>",
    purpose: "change an issuer. A list replaces the old one; an empty value resets the option",
    examples: ['issuer edit acme https://idp.example.com --scope "SEARCH CHAT" --groups-claim='],
    options: CONFIGURATION_OPTIONS,
    members: MEMBERS,
    async run(input, api) {
      const changes = Object.entries(readConfiguration(input)).map(([name, value]) => [name, value ?? null]);
      if (changes.length === 0) throw new CommandLineError("Say what to change, such as --scope");
      const path = at`/issuers/${input.word("issuer")}`;
      const answer = await api.call<Issuer>("PATCH", path, Object.fromEntries(changes));
      return { answer, lines: linesOf(api.instance, answer) };
    },
  },
  {
    asks: "api",
    usage: "issuer list <instance>",
    purpose: "list issuers: state, apps, audiences, scopes, how people are identified. --json shows every option",
    examples: ["issuer list acme --json"],
    async run(_input, api) {
      const answer = await api.list<Issuer>("/issuers");
      const rows = answer.items.map((each) => [
        each.issuer,
        each.name,
        each.isDisabled ? "disabled" : "enabled",
        each.clientIds.join(" "),
        each.audiences.length === 0 ? "any" : each.audiences.join(" "),
        each.scopes.join(" "),
        personOf(each),
      ]);
      const headers = ["issuer", "name", "state", "clients", "audiences", "scopes", "identifies the"];
      return { answer, lines: table("issuers", headers, rows) };
    },
  },
  {
    asks: "api",
    usage: "issuer disable <instance> <issuer>",
    purpose: "refuse the issuer's tokens but keep its configuration",
    examples: ["issuer disable acme https://idp.example.com"],
    asksFirst: true,
    async run(input, api) {
      await input.confirm(`${api.instance} refuses every token of ${input.word("issuer")}.`);
      return decide(input, api, "disable", "refuses tokens of", "disabled");
    },
  },
  {
    asks: "api",
    usage: "issuer enable <instance> <issuer>",
    purpose: "accept its tokens again",
    examples: ["issuer enable acme https://idp.example.com"],
    run: (input, api) => decide(input, api, "enable", "accepts tokens again of", "enabled"),
  },
  {
    asks: "api",
    usage: "issuer remove <instance> <issuer>",
    purpose: "remove the issuer. People who were created through it stay",
    examples: ["issuer remove acme https://idp.example.com"],
    asksFirst: true,
    async run(input, api) {
      const issuer = input.word("issuer");
      await input.confirm(`${api.instance} refuses every token of ${issuer}, and forgets its configuration.`);
      const answer = await api.call<Changed>("DELETE", at`/issuers/${issuer}`);
      return { answer, lines: [`The issuer ${issuer} is removed. This takes effect within 10 seconds.`] };
    },
  },
  {
    asks: "nobody",
    usage: "issuer presets",
    purpose: "list the presets, the options that each needs, and what to configure at the provider",
    examples: ["issuer presets"],
    run() {
      const items = PRESETS.map(({ name, title, needs, mayHave, atTheProvider, saysVerified }) => {
        const needed = { ...needs, ...(saysVerified ? {} : { "email-vouched-by": VOUCHING }) };
        return { name, title, needs: needed, mayHave, atTheProvider };
      });
      const lines = items.flatMap(({ name, title, needs, mayHave, atTheProvider }) => [
        `${name}   ${title}`,
        ...Object.entries(needs).map(([option, what]) => `    --${option}  ${what}`),
        ...Object.entries(mayHave).map(([option, what]) => `    [--${option}]  ${what}`),
        `    At the provider: ${atTheProvider}`,
      ]);
      return { answer: { items, total: items.length }, lines };
    },
  },
];

async function decide(input: Input, api: AdminApi, verb: string, does: string, state: string): Promise<Outcome> {
  const issuer = input.word("issuer");
  const answer = await api.call<Changed>("POST", at`/issuers/${issuer}/` + verb);
  if (!answer.changed) throw new UsageError(`The issuer ${issuer} is already ${state}`);
  return { answer, lines: [`${api.instance} ${does} ${issuer}. This takes effect within 10 seconds.`] };
}
