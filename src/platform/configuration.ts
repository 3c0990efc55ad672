import { KeyringError, parseMasterKeys } from "#crypto/keyring.ts";
import { displayName, NAME_CHARACTERS_MAX } from "#protocol/display-name.ts";
import { parseEmailAddress } from "#protocol/email-address.ts";
import { serviceWordsOf } from "#protocol/service-words.ts";
import { isHostPattern } from "./host-naming.ts";
import type { Bindings } from "./bindings.ts";

/** Thrown if the Worker's variables and bindings are not as they must be. The message is for operators and contains no secret. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";

  /** @param faults sentences of {@link configurationFaults} */
  constructor(faults: readonly string[]) {
    super(`The service is not configured correctly. ${faults.join(" ")}`);
  }
}

type NeededBinding = Exclude<keyof Bindings, keyof typeof VARIABLES | "AI" | "EMAIL" | "METRICS">;

/** Where `wrangler.toml` declares a binding, and a method that only its kind has. */
type Declaration = readonly [section: string, method: string];

const COUNTER: Declaration = ["[[ratelimits]]", "limit"];

const NEEDED: Readonly<Record<NeededBinding, Declaration>> = {
  DB: ["[[d1_databases]]", "prepare"],
  CACHE: ["[[kv_namespaces]]", "put"],
  DOCUMENTS: ["[[durable_objects.bindings]]", "getByName"],
  ASSETS: ["[assets]", "fetch"],
  RATE_LIMIT_60: COUNTER,
  RATE_LIMIT_300: COUNTER,
  RATE_LIMIT_3000: COUNTER,
};

/** The checks of the variables. Each returns what is wrong with its value and what to do. */
const VARIABLES = {
  SERVICE_NAME(value) {
    if (value === undefined)
      return 'Set SERVICE_NAME under [vars] in wrangler.toml to the product\'s name: "Acme Search".';
    if (typeof value !== "string" || displayName(value) !== value) {
      return `SERVICE_NAME must be text of 1 to ${NAME_CHARACTERS_MAX} visible characters, with single spaces only between them.`;
    }
    if (serviceWordsOf(value)) return undefined;
    return "SERVICE_NAME must contain a Latin letter or a digit, for the header X-<Service>-Auth-Type.";
  },
  INSTANCE_HOST(value) {
    if (value === undefined) {
      return 'Set INSTANCE_HOST under [vars] in wrangler.toml to the pattern of the hosts: "{instance}-be.example.com".';
    }
    if (typeof value === "string" && isHostPattern(value)) return undefined;
    return 'INSTANCE_HOST must be a host alone, with {instance} once, in its first label: "{instance}-be.example.com".';
  },
  MASTER_KEYS(value) {
    try {
      parseMasterKeys(typeof value === "string" ? value : undefined);
      return undefined;
    } catch (error) {
      if (!(error instanceof KeyringError)) throw error;
      return `${error.message}. Set it with: npx wrangler secret put MASTER_KEYS.`;
    }
  },
  LOCAL_DEVELOPMENT(value) {
    if (value === undefined || value === "true" || value === "false") return undefined;
    return 'LOCAL_DEVELOPMENT must be "true" in .dev.vars on a developer\'s machine, and "false" everywhere else.';
  },
  CHAT_MODEL(value) {
    if (value === undefined || (typeof value === "string" && value.trim() !== "")) return undefined;
    return "CHAT_MODEL must name a text model of Workers AI: set it, or remove it and the binding AI.";
  },
  ALERT_SENDER(value) {
    if (value === undefined || parseEmailAddress(value) !== undefined) return undefined;
    return "ALERT_SENDER must be an email address, or be removed.";
  },
} satisfies Partial<Record<keyof Bindings, (value: unknown) => string | undefined>>;

/** Checks whether a binding exists and is of the right kind, by a method that its kind has. */
export type HasBinding = (name: string, method: string) => boolean;

/**
 * Checks every variable and binding of the Worker.
 *
 * @param has finds a binding; by default, among the values that the Worker got
 * @returns a sentence for each fault, which says what to do
 */
export function configurationFaults(
  values: Readonly<Partial<Record<keyof Bindings, unknown>>>,
  has: HasBinding = (name, method) => isCallable(values[name as keyof Bindings], method),
): string[] {
  const ofVariables = Object.entries(VARIABLES).map(([name, faultOf]) => faultOf(values[name as keyof Bindings]));
  const ofBindings = Object.entries(NEEDED).map(([name, [section, method]]) =>
    has(name, method) ? undefined : `The binding ${name} is missing: add it to wrangler.toml under ${section}.`,
  );
  const ofChat =
    has("AI", "run") === (values.CHAT_MODEL !== undefined)
      ? undefined
      : "CHAT_MODEL and the binding AI belong together: set both, or neither.";
  return [...ofVariables, ...ofBindings, ofChat].filter((fault) => fault !== undefined);
}

function isCallable(binding: unknown, method: string): boolean {
  return typeof (binding as Readonly<Record<string, unknown>> | undefined)?.[method] === "function";
}

/** @throws {ConfigurationError} if a variable or binding is not as it must be */
export function requireConfiguration(bindings: Bindings): void {
  const faults = configurationFaults(bindings);
  if (faults.length > 0) throw new ConfigurationError(faults);
}
