/** The subjects whose requests are counted together. */
export type RateSubject = "network" | "instance" | "person" | "client" | "token" | "group" | "app";

interface RateLimitRow {
  readonly work: string;
  readonly subject: RateSubject;
  readonly limit: number;
}

/** The period of every limit, and the value of `Retry-After`. Cloudflare's binding supports 10 and 60. */
export const RATE_PERIOD_SECONDS = 60;

/**
 * Every rate limit: the kind of work, whose requests count together, and how many are allowed in a period at one location. A
 * binding in `wrangler.toml` counts them ({@link bindingOf}). Each instance is counted separately. A network is an IPv4 address or
 * the /64 of an IPv6 address.
 *
 * If anybody can cause something to be stored, the instance has a limit too, for callers with many networks.
 */
export const RATE_LIMITS = [
  { work: "registration", subject: "network", limit: 60 },
  { work: "registration", subject: "instance", limit: 3000 },
  // A client for which nobody vouches costs a fetch from an address that the caller chose, or an id that has to be remembered.
  { work: "unknown-client", subject: "network", limit: 60 },
  { work: "authorization", subject: "network", limit: 300 },
  { work: "authorization", subject: "instance", limit: 3000 },
  { work: "sign-in", subject: "network", limit: 300 },
  { work: "sign-in", subject: "instance", limit: 3000 },
  // Hosted apps refresh and push requests for all of their users from few addresses.
  { work: "token", subject: "network", limit: 3000 },
  { work: "pushed-request", subject: "instance", limit: 3000 },
  // Only genuine tokens count against a client: its id is public, so anybody could lock out all of its users.
  { work: "refresh", subject: "person", limit: 300 },
  { work: "refresh", subject: "client", limit: 3000 },
  // Notes about requests that anybody can make; beyond the limit, nothing is noted and the request continues.
  { work: "connection-step", subject: "network", limit: 60 },
  { work: "connection-step", subject: "instance", limit: 300 },
  // One person with one app: a model in a loop is stopped before it affects others.
  { work: "tool-call", subject: "app", limit: 300 },
  { work: "own-form", subject: "person", limit: 300 },
  { work: "custom-metadata", subject: "group", limit: 300 },
  // Each rotation leaves a secret and an audit entry.
  { work: "rotation", subject: "token", limit: 300 },
  { work: "admin-api", subject: "token", limit: 300 },
  // A token that is not cached is read from storage.
  { work: "admin-api-refusal", subject: "network", limit: 300 },
  // Directories send a request for each user while they load.
  { work: "scim", subject: "token", limit: 3000 },
  { work: "scim-refusal", subject: "network", limit: 300 },
  // Identity providers and transmitters send from few addresses, for everybody. Nothing is stored before a signature is verified.
  { work: "signal", subject: "network", limit: 3000 },
] as const satisfies readonly RateLimitRow[];

type Row = (typeof RATE_LIMITS)[number];

/** The kinds of work that a limit counts. */
export type RatedWork = Row["work"];

export type RateLimitBinding = `RATE_LIMIT_${Row["limit"]}`;

/** The subjects of a kind of work that only its caller knows. The network and the instance come from the request. */
export type NamedSubjects<Work extends RatedWork> = Readonly<
  Record<Exclude<Extract<Row, { work: Work }>["subject"], "network" | "instance">, string>
>;

export const LIMITS_BY_WORK: ReadonlyMap<RatedWork, readonly Row[]> = Map.groupBy(RATE_LIMITS, ({ work }) => work);

/** Returns the binding that counts up to a limit. */
export function bindingOf({ limit }: Pick<Row, "limit">): RateLimitBinding {
  return `RATE_LIMIT_${limit}`;
}

/** The bindings of all limits, each once. */
export const RATE_LIMIT_BINDINGS: readonly RateLimitBinding[] = [...new Set(RATE_LIMITS.map(bindingOf))];
