import { PRESETS } from "#issuers/presets.ts";
import { servicesOf } from "#services.ts";
import { parseArguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { ACTOR, UsageError } from "./context.ts";
import { requireInstance } from "./instance-commands.ts";
import {
  CONFIGURATION_OPTIONS,
  CONFIGURATION_USAGE,
  PRESET_OPTIONS,
  readConfiguration,
  readDraft,
} from "./issuer-options.ts";
import { lineOf, linesOf, summaryOf } from "./issuer-text.ts";
import { explainToken, linesOfExplanation, ROUTES } from "./token-explanation.ts";

/** What has to be decided where tokens do not say that an email is verified. */
const VOUCHING = "administrator, where people cannot change their address unverified; or --email-verified-claim";

export const issuerCommands: readonly Command[] = [
  {
    name: "issuer add",
    usage:
      "<instance> --preset <preset> <what it needs> --client-id <id> … [as below]\n" +
      `  issuer add <instance> --issuer <url> --client-id <id> … [--offline]\n      ${CONFIGURATION_USAGE}`,
    purpose:
      "take an identity provider's access tokens at the Client API; replaces the issuer where it is registered. Its keys are " +
      "looked for, unless --offline",
    async run(words, context) {
      const args = parseArguments(words, {
        ...PRESET_OPTIONS,
        ...CONFIGURATION_OPTIONS,
        issuer: { type: "string" },
        offline: { type: "boolean" },
      });
      const instance = await requireInstance(context, args);
      const { administration, issuerCheck } = servicesOf(context.bindings);
      const registered = await administration.issuers.register(instance, readDraft(args), ACTOR);
      const published = args.flag("offline") ? [] : await issuerCheck.check(registered.configuration);
      for (const line of [...linesOf(instance.name, registered), ...published.map(lineOf)]) context.print(line);
      return { ...registered.configuration };
    },
  },
  {
    name: "issuer edit",
    usage: `<instance> <issuer> [--client-id <id> …]\n      ${CONFIGURATION_USAGE}`,
    purpose: "change an issuer; a list replaces the old one, an empty value resets the option",
    async run(words, context) {
      const args = parseArguments(words, CONFIGURATION_OPTIONS);
      const instance = await requireInstance(context, args);
      const changes = readConfiguration(args);
      if (Object.keys(changes).length === 0) throw new UsageError("Say what to change. See: npm run admin -- help");
      const { administration } = servicesOf(context.bindings);
      const registered = await administration.issuers.edit(instance, args.word(1, "issuer"), changes, ACTOR);
      for (const line of linesOf(instance.name, registered)) context.print(line);
      return { ...registered.configuration };
    },
  },
  {
    name: "issuer list",
    usage: "<instance> [--json]",
    purpose: "list the identity providers whose access tokens are accepted; --json shows every option",
    async run(words, context) {
      const args = parseArguments(words, { json: { type: "boolean" } });
      const issuers = await servicesOf(context.bindings).externalIssuers.list(
        (await requireInstance(context, args)).id,
      );
      if (args.flag("json")) context.print(JSON.stringify(issuers, null, 2));
      else for (const each of issuers) context.print(summaryOf(each));
      return { issuers: issuers.map(({ configuration }) => configuration.issuer) };
    },
  },
  {
    name: "issuer disable",
    usage: "<instance> <issuer>",
    purpose: "refuse an issuer's tokens within 10 seconds, but keep its configuration",
    async run(words, context) {
      const args = parseArguments(words, {});
      const instance = await requireInstance(context, args);
      const issuer = args.word(1, "issuer");
      const { administration } = servicesOf(context.bindings);
      const changed = await administration.issuers.disable(instance, issuer, ACTOR);
      if (!changed) throw new UsageError(`The issuer ${issuer} is already disabled`);
      context.print(`${instance.name} refuses tokens of ${issuer}. This takes effect within 10 seconds.`);
      return { issuer };
    },
  },
  {
    name: "issuer enable",
    usage: "<instance> <issuer>",
    purpose: "accept an issuer's tokens again",
    async run(words, context) {
      const args = parseArguments(words, {});
      const instance = await requireInstance(context, args);
      const issuer = args.word(1, "issuer");
      const { administration } = servicesOf(context.bindings);
      const changed = await administration.issuers.enable(instance, issuer, ACTOR);
      if (!changed) throw new UsageError(`The issuer ${issuer} is already enabled`);
      context.print(`${instance.name} accepts tokens of ${issuer} again. This takes effect within 10 seconds.`);
      return { issuer };
    },
  },
  {
    name: "issuer remove",
    usage: "<instance> <issuer>",
    purpose: "remove an issuer; people who were created through it stay",
    async run(words, context) {
      const args = parseArguments(words, {});
      const instance = await requireInstance(context, args);
      const issuer = args.word(1, "issuer");
      await servicesOf(context.bindings).administration.issuers.remove(instance, issuer, ACTOR);
      context.print(`The issuer ${issuer} is removed. This takes effect within 10 seconds.`);
      return { issuer };
    },
  },
  {
    name: "issuer explain",
    usage: `<instance> [--header] [--route ${ROUTES.join(" | ")}] [--origin <url>] [--address <ip>]  < token`,
    purpose:
      "say step by step what the gate would answer to a token from standard input; --header: announced as an identity " +
      "provider's; --origin: the instance's own, where it is not that of wrangler.toml",
    async run(words, context) {
      const args = parseArguments(words, {
        header: { type: "boolean" },
        route: { type: "string" },
        origin: { type: "string" },
        address: { type: "string" },
      });
      const explanation = await explainToken(args, await requireInstance(context, args), context);
      for (const line of linesOfExplanation(explanation)) context.print(line);
      const { status, code } = explanation;
      return {
        status,
        code: code ?? null,
        failed: explanation.steps.find(({ outcome }) => outcome === "fails")?.title ?? null,
      };
    },
  },
  {
    name: "issuer presets",
    usage: "",
    purpose: "list the presets, the options that each needs, and what to configure at the provider",
    run(words, { print }) {
      parseArguments(words, {});
      for (const { name, title, needs, mayHave, atTheProvider, saysVerified } of PRESETS) {
        print(`${name}   ${title}`);
        for (const [option, what] of Object.entries(needs)) print(`    --${option}  ${what}`);
        if (!saysVerified) print(`    --email-vouched-by  ${VOUCHING}`);
        for (const [option, what] of Object.entries(mayHave)) print(`    [--${option}]  ${what}`);
        print(`    At the provider: ${atTheProvider}`);
      }
      return Promise.resolve({ presets: PRESETS.map(({ name }) => name) });
    },
  },
];
