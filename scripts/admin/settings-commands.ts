import { HOSTS } from "#clients/hosts.ts";
import { SETTING_MEMBERS, SETTING_WORDS } from "#settings/setting-members.ts";
import { getDefaults, object } from "valibot";
import type { AdminApi } from "./admin-api.ts";
import { parsePair } from "./option-values.ts";
import type { ApiCommand, Input, Outcome } from "./command.ts";
import { members } from "./table.ts";

type Settings = Readonly<Record<string, unknown>>;

/** What ends if a setting is turned off. */
const LOSSES: Readonly<Record<string, string>> = {
  oauthEnabled: "Every app's access to {instance} ends until OAuth is on again.",
  externalTokensEnabled: "Tokens of every identity provider are refused in {instance}.",
};

const HOST_NAMES = HOSTS.map(({ id }) => id).join(", ");

const DEFAULTS: Settings = getDefaults(
  object(Object.fromEntries(Object.entries(SETTING_MEMBERS).map(([name, { schema }]) => [name, schema]))),
);

/** Each setting with its meaning and its default, for help. */
const SETTINGS = Object.entries(SETTING_WORDS).map(([name, [meaning]]) => {
  const usual = DEFAULTS[name];
  return `  ${name}\n      ${meaning}${usual === undefined ? "" : `; ${JSON.stringify(usual)} by default`}`;
});

export const settingsCommands: readonly ApiCommand[] = [
  {
    asks: "api",
    usage: "oauth enable <instance>",
    purpose: "turn the authorization server on",
    examples: ["oauth enable acme"],
    run: (input, api) => change(input, api, { oauthEnabled: true }),
  },
  {
    asks: "api",
    usage: "oauth disable <instance>",
    purpose:
      "turn it off. Its tokens stop working, and work again if you enable it before they expire. Service-issued tokens keep working",
    examples: ["oauth disable acme"],
    asksFirst: true,
    run: (input, api) => change(input, api, { oauthEnabled: false }),
  },
  {
    asks: "api",
    usage: "registration open <instance>",
    purpose: "accept any app, whether it registers itself or has a client metadata document",
    examples: ["registration open acme"],
    run: (input, api) => change(input, api, { registration: "open" }),
  },
  {
    asks: "api",
    usage: "registration approved <instance> <patterns...>",
    purpose: `accept only apps with approved redirect URIs, or documents of these hosts; replaces the list. Each is a pattern, or one of ${HOST_NAMES}`,
    examples: ["registration approved acme claude vscode https://app.example.com/cb/*"],
    run: (input, api) =>
      change(input, api, { registration: "approved", approvedRedirectUris: input.words("patterns") }),
  },
  {
    asks: "api",
    usage: "registration approval <instance>",
    purpose: "keep every new app waiting until you approve it",
    examples: ["registration approval acme"],
    run: (input, api) => change(input, api, { registration: "approval" }),
  },
  {
    asks: "api",
    usage: "registration off <instance>",
    purpose:
      "accept only apps that an administrator created or approved. What people allowed other apps stays until it ends",
    examples: ["registration off acme"],
    run: (input, api) => change(input, api, { registration: "off" }),
  },
  {
    asks: "api",
    usage: "settings show <instance>",
    purpose: "show all settings, including defaults",
    examples: ["settings show acme"],
    async run(_input, api) {
      const answer = await api.get<Settings>("/settings");
      return { answer, lines: members(answer) };
    },
  },
  {
    asks: "api",
    usage: "settings set <instance> <name=value...>",
    purpose: "change settings; values are JSON or plain words, and null restores a default",
    examples: ["settings set acme displayName=Acme grantIdleSeconds=604800"],
    more: ["Settings:", ...SETTINGS],
    asksFirst: true,
    run: (input, api) => change(input, api, Object.fromEntries(input.words("name=value").map(readSetting))),
  },
];

async function change(input: Input, api: AdminApi, changes: Settings): Promise<Outcome> {
  const lost = Object.entries(LOSSES).flatMap(([name, loss]) => (changes[name] === false ? [loss] : []));
  if (lost.length > 0) await input.confirm(lost.join(" ").replaceAll("{instance}", api.instance));
  const settings = await api.call<Settings>("PATCH", "/settings", changes);
  const lines = Object.keys(changes).map((name) => `${api.instance}: ${name} is ${JSON.stringify(settings[name])}.`);
  return { answer: settings, lines: [...lines, "This takes effect within 10 seconds."] };
}

function readSetting(pair: string): [string, unknown] {
  const [name, value] = parsePair(pair, "<name>=<value>");
  try {
    return [name, JSON.parse(value) as unknown];
  } catch {
    return [name, value];
  }
}
