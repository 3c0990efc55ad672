import { requireEmail } from "#people/person.ts";
import { HOSTS } from "#clients/hosts.ts";
import { parseSettings } from "#settings/settings.ts";
import { servicesOf } from "#services.ts";
import { type Arguments, parseArguments, parseClaim, readSecret } from "./arguments.ts";
import type { Command } from "./command.ts";
import { ACTOR, type AdminContext, UsageError } from "./context.ts";

/** What `sso set` asks the SSO for, unless told otherwise; `groups` is not a standard scope, so it is not among them. */
const SSO_SCOPES = "openid profile email";

/** Finds the instance that a command names first. */
export function requireInstance({ bindings }: AdminContext, args: Arguments) {
  return servicesOf(bindings).instances.require(args.word(0, "instance"));
}

export const instanceCommands: readonly Command[] = [
  {
    name: "instance create",
    usage: "<instance> [--admin <email>] [--if-absent]",
    purpose: "create an instance, with its first owner",
    async run(words, context) {
      const args = parseArguments(words, { admin: { type: "string" }, "if-absent": { type: "boolean" } });
      const { administration, instances } = servicesOf(context.bindings);
      const name = args.word(0, "instance");
      const email = args.option("admin");
      if (email !== undefined) requireEmail(email);
      const existing = args.flag("if-absent") ? await instances.find(name) : null;
      if (existing) {
        context.print(`The instance ${name} already exists; nothing was changed.`);
        if (email !== undefined) context.print(`To make ${email} an owner: person role ${name} ${email} owner`);
        return { id: existing.id, name };
      }
      const instance = await administration.instances.create(name, ACTOR);
      context.print(`Created the instance ${name}. OAuth is off. To turn it on: npm run admin -- oauth enable ${name}`);
      if (email !== undefined) {
        await administration.people.nameRole(instance, email, "owner", ACTOR);
        context.print(`${email} becomes its owner when they first sign in.`);
      }
      return { id: instance.id, name };
    },
  },
  {
    name: "instance list",
    usage: "",
    purpose: "list the instances",
    async run(_args, { bindings, print }) {
      const instances = await servicesOf(bindings).instances.list();
      for (const { name, settings, singleSignOn } of instances) {
        const { oauthEnabled, registration } = parseSettings(settings);
        print(
          `${name}  oauth ${oauthEnabled ? "on" : "off"}  registration ${registration}  sso ${singleSignOn?.issuer ?? "none"}`,
        );
      }
      return { instances: instances.map(({ name }) => name) };
    },
  },
  {
    name: "sso set",
    usage:
      "<instance> --issuer <url> --client-id <id> (--client-secret-from-env <variable> | --client-secret-stdin) " +
      "[--groups-claim <claim>] [--email-claim <claim>] [--require-claim <claim>=<value> …] [--scope <list>] " +
      "[--client-authentication client_secret_basic|client_secret_post] [--email-vouched-by token|administrator]",
    purpose: "connect the organisation's SSO; its redirect URI is https://<host>/oauth/callback",
    async run(words, context) {
      const args = parseArguments(words, {
        issuer: { type: "string" },
        "client-id": { type: "string" },
        "client-secret-from-env": { type: "string" },
        "client-secret-stdin": { type: "boolean" },
        "groups-claim": { type: "string" },
        "email-claim": { type: "string" },
        "require-claim": { type: "string", multiple: true },
        "client-authentication": { type: "string" },
        "email-vouched-by": { type: "string" },
        scope: { type: "string" },
      });
      const instance = await requireInstance(context, args);
      const order = {
        issuer: args.required("issuer"),
        clientId: args.required("client-id"),
        clientSecret: await readSecret(args, "client-secret"),
        scopes: args.option("scope") ?? SSO_SCOPES,
        groupsClaim: args.option("groups-claim") ?? "groups",
        emailClaim: args.option("email-claim") ?? "email",
        requiredClaims: Object.fromEntries(args.all("require-claim").map(parseClaim)),
        ...readVouching(args.option("email-vouched-by")),
        ...readAuthentication(args.option("client-authentication")),
      };
      await servicesOf(context.bindings).administration.singleSignOn.connect(instance, order, ACTOR);
      context.print(`${instance.name} signs people in at ${order.issuer}.`);
      return { issuer: order.issuer };
    },
  },
  {
    name: "oauth enable",
    usage: "<instance>",
    purpose: "turn the authorization server on",
    run: (words, context) => changeSettings(words, context, { oauthEnabled: true }),
  },
  {
    name: "oauth disable",
    usage: "<instance>",
    purpose: "turn it off; its tokens stop working within 10 seconds",
    run: (words, context) => changeSettings(words, context, { oauthEnabled: false }),
  },
  {
    name: "registration open",
    usage: "<instance>",
    purpose: "let any application register itself",
    run: (words, context) => changeSettings(words, context, { registration: "open" }),
  },
  {
    name: "registration approved",
    usage: "<instance> <redirect URI pattern | host> …",
    purpose: `let only approved applications register; * stays within a path segment; hosts: ${HOSTS.map(({ id }) => id).join(", ")}`,
    run(words, context) {
      const [, ...approvedRedirectUris] = parseArguments(words, {}).rest;
      if (approvedRedirectUris.length === 0) {
        throw new UsageError(
          `Approve at least one redirect URI pattern, or one of ${HOSTS.map(({ id }) => id).join(", ")}`,
        );
      }
      return changeSettings(words, context, { registration: "approved", approvedRedirectUris });
    },
  },
  {
    name: "registration approval",
    usage: "<instance>",
    purpose: "let applications register, but wait until you approve them",
    run: (words, context) => changeSettings(words, context, { registration: "approval" }),
  },
  {
    name: "registration off",
    usage: "<instance>",
    purpose: "let only administrators create clients",
    run: (words, context) => changeSettings(words, context, { registration: "off" }),
  },
  {
    name: "signing-key rotate",
    usage: "<instance> [--compromised]",
    purpose: "start signing with a new key; --compromised also ends the old key's tokens",
    async run(words, context) {
      const args = parseArguments(words, { compromised: { type: "boolean" } });
      const instance = await requireInstance(context, args);
      await servicesOf(context.bindings).administration.signingKeys.rotate(instance, args.flag("compromised"), ACTOR);
      context.print(`${instance.name} signs with a new key.`);
      return { instance: instance.name };
    },
  },
  {
    name: "settings show",
    usage: "<instance>",
    purpose: "show all settings",
    async run(words, context) {
      const settings = parseSettings((await requireInstance(context, parseArguments(words, {}))).settings);
      context.print(JSON.stringify(settings, null, 2));
      return settings;
    },
  },
  {
    name: "settings set",
    usage: "<instance> <name>=<value> …",
    purpose: "change settings; values are JSON, or plain words",
    run(words, context) {
      const [, ...pairs] = parseArguments(words, {}).rest;
      if (pairs.length === 0) throw new UsageError("Enter at least one setting: <name>=<value>");
      return changeSettings(words, context, Object.fromEntries(pairs.map(parsePair)));
    },
  },
];

async function changeSettings(words: readonly string[], context: AdminContext, changes: Record<string, unknown>) {
  const instance = await requireInstance(context, parseArguments(words, {}));
  await servicesOf(context.bindings).administration.settings.change(instance, changes, ACTOR);
  for (const [name, value] of Object.entries(changes)) {
    context.print(`${instance.name}: ${name} is ${JSON.stringify(value)}. This takes effect within 10 seconds.`);
  }
  return changes;
}

function readVouching(vouchedBy: string | undefined) {
  if (vouchedBy === undefined || vouchedBy === "token") return {};
  if (vouchedBy === "administrator") return { emailVouchedBy: vouchedBy } as const;
  throw new UsageError("--email-vouched-by must be token or administrator");
}

function readAuthentication(method: string | undefined) {
  if (method === undefined) return {};
  if (method === "client_secret_basic" || method === "client_secret_post")
    return { clientAuthentication: method } as const;
  throw new UsageError("--client-authentication must be client_secret_basic or client_secret_post");
}

function parsePair(pair: string): [string, unknown] {
  const equals = pair.indexOf("=");
  if (equals < 1) throw new UsageError(`${pair} is not <name>=<value>`);
  const value = pair.slice(equals + 1);
  try {
    return [pair.slice(0, equals), JSON.parse(value) as unknown];
  } catch {
    return [pair.slice(0, equals), value];
  }
}
