import type { RequestInstance } from "#instance/request-instance.ts";
import type { Clock } from "#platform/clock.ts";
import { ApiError } from "#protocol/errors.ts";
import { accessTo } from "#resource-server/authorization/route-access.ts";
import type { ClientApiRoute } from "#resource-server/authorization/route-scopes.ts";
import type { ExternalIdentity, ExternalPeople, KnownPeople, PersonFound } from "#people/external-people.ts";
import type { IssuerKeys } from "#issuers/issuer-keys.ts";
import { claimedKind } from "#service-tokens/service-token.ts";
import { readBearer } from "./bearer.ts";
import type { Caller } from "./caller.ts";
import { type ClientApiGate, type Credentials, wayOf } from "./client-api-gate.ts";
import type { Facts } from "./explained-facts.ts";
import { type Step, stepsOf } from "./explained-steps.ts";

/** A call of the Client API that somebody asks about. */
export interface Trial extends Omit<Credentials, "presented" | "token"> {
  readonly token: string;
  readonly route: ClientApiRoute;
}

/** What the gate answers to a token, and why. It holds neither the token nor its signature. */
export interface TokenExplanation {
  /** The status and code as a caller gets them; a status of 200 has no code. */
  readonly status: number;
  readonly code: string | undefined;
  /** The text that the caller gets beside the code. */
  readonly message: string;
  readonly steps: readonly Step[];
  /** What the token says of itself, believed or not; `undefined` where it is no JWT. */
  readonly decoded: { readonly header: unknown; readonly payload: unknown } | undefined;
}

/** A gate that judges as the real one does, and leaves what people are known to whoever is given here. */
export type GateMaker = (people: ExternalPeople) => ClientApiGate;

/**
 * Explains what the gate would answer to a token.
 *
 * The verdict is the gate's own: the same classes over the same keys and the same storage, made anew for each question, so that
 * no token is remembered, with two parts that only look. Nobody is made known, no groups are kept, and no use is noted. The
 * steps are read off that verdict: the refusal's reason says which check failed, and the checks before it held.
 */
export class TokenExplainer {
  readonly #makeGate: GateMaker;
  readonly #people: KnownPeople;
  readonly #keys: IssuerKeys;
  readonly #clock: Clock;

  constructor(makeGate: GateMaker, people: KnownPeople, keys: IssuerKeys, clock: Clock) {
    this.#makeGate = makeGate;
    this.#people = people;
    this.#keys = keys;
    this.#clock = clock;
  }

  /** @throws whatever is no refusal by the gate, such as a storage that does not answer */
  async explain(instance: RequestInstance, trial: Trial): Promise<TokenExplanation> {
    const text = bareToken(trial.token);
    const people = new Onlooker(this.#people);
    const { caller, refusal } = await this.#judge(this.#makeGate(people), instance, {
      ...trial,
      token: text,
    });
    const { kind, jwt } = wayOf(instance, text, trial.announcedAsExternal);
    const issuer = instance.policy.externalIssuers.get(String(jwt?.payload["iss"]));
    const facts: Facts = {
      policy: instance.policy,
      origin: instance.issuer,
      jwt,
      looksLikeJwt: /^eyJ[^.]*\.[^.]+\.[^.]*$/.test(text),
      looksServiceIssued: claimedKind(text) !== undefined,
      issuer,
      publishedKeys: issuer ? this.#keys.published(issuer) : [],
      person: people.seen,
      route: trial.route,
      announcedAsExternal: trial.announcedAsExternal,
      authTypeHeader: trial.authTypeHeader,
      address: trial.address,
      caller,
      now: this.#clock(),
    };
    return {
      status: refusal?.status ?? 200,
      code: refusal?.code,
      message: refusal?.description ?? "The call is let in.",
      steps: stepsOf(kind, facts, refusal),
      decoded: jwt && { header: jwt.header, payload: jwt.payload },
    };
  }

  async #judge(gate: ClientApiGate, instance: RequestInstance, { token: text, ...trial }: Trial): Promise<Judgement> {
    let caller: Caller | undefined;
    try {
      const token = readBearer(`Bearer ${text}`);
      caller = await gate.authenticate(instance, { ...trial, presented: undefined, token });
      accessTo(trial.route)(instance, caller);
      return { caller, refusal: undefined };
    } catch (error) {
      if (error instanceof ApiError) return { caller, refusal: error };
      throw error;
    }
  }
}

interface Judgement {
  readonly caller: Caller | undefined;
  readonly refusal: ApiError | undefined;
}

/** People who are asked for and never made known; remembers whom the token was found to mean. */
class Onlooker implements ExternalPeople {
  readonly #people: KnownPeople;
  seen: { readonly identity: ExternalIdentity; readonly found: PersonFound } | undefined;

  constructor(people: KnownPeople) {
    this.#people = people;
  }

  /** As the store that a request meets, which would now make known whoever is known by an email alone. */
  async find(
    instanceId: number,
    identity: ExternalIdentity,
    _issuedAt: number,
    newPersonId: string,
  ): Promise<PersonFound> {
    const found = await this.#people.look(instanceId, identity.person);
    this.seen = { identity, found };
    const { person } = identity;
    const wouldBeMade = found === "unknown" && "email" in person;
    return wouldBeMade ? { personId: newPersonId, email: person.email, isDeactivated: false } : found;
  }
}

/** People copy the header's word along, and line breaks that a terminal made. */
function bareToken(pasted: string): string {
  return pasted.trim().replace(/^(authorization: *)?bearer +/i, "");
}
