import { parseCompactJwt } from "#crypto/compact-jwt.ts";
import { requireScheme, type TokenScheme } from "#dpop/dpop-proof.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { ApiError } from "#protocol/errors.ts";
import type { AppAccess } from "#app-access/app-access.ts";
import { APP_RULES_STEP, withinRules } from "#resource-server/authorization/app-rules-step.ts";
import { accessTo } from "#resource-server/authorization/route-access.ts";
import { type ClientApiRoute, ROUTE_SCOPES } from "#resource-server/authorization/route-scopes.ts";
import type { Caller, ExaminedCredentials } from "./caller.ts";
import type { ClientApiGate } from "./client-api-gate.ts";
import { schemeOf } from "./bearer.ts";
import { type ExplainedStep, explainSteps, list, notReached, type Step } from "./steps.ts";

/** A call of the Client API that somebody wants explained. */
export interface Trial extends ExaminedCredentials {
  readonly token: string;
  readonly route: ClientApiRoute;
}

/** How the gate would respond to a token, and why. It contains neither the token nor its signature. */
export interface TokenExplanation {
  /** The status and code that a caller would get; a status of 200 has no code. */
  readonly status: number;
  readonly code: string | undefined;
  /** The text that the caller would get with the code. */
  readonly message: string;
  readonly steps: readonly ExplainedStep[];
  /** What the token says about itself, trusted or not; `undefined` if it is not a JWT. */
  readonly decoded: { readonly header: unknown; readonly payload: unknown } | undefined;
}

/** A call whose token was admitted. */
interface KnownCall {
  readonly instance: RequestInstance;
  readonly caller: Caller;
  readonly route: ClientApiRoute;
  readonly scheme: TokenScheme;
}

/** Says whether calls need a proof. A proof is made for one call, so there is none to check here. */
const BINDING_STEP: Step<KnownCall> = {
  title: "Key of the app",
  check: ({ scheme, caller }) => requireScheme(scheme, caller.keyThumbprint),
  fact: ({ caller: { keyThumbprint } }) =>
    keyThumbprint === undefined
      ? "The token is bound to no key, so it is sent as Authorization: Bearer."
      : `The token is bound to the key ${keyThumbprint}, so it is sent as Authorization: DPoP, and each call brings a proof that is signed by this key.`,
};

/** The last step, which is the route's own check. */
const ACCESS_STEP: Step<KnownCall> = {
  title: "Scope of the call",
  check: ({ instance, caller, route }) => accessTo(route)(instance, caller),
  fact: ({ caller, route }) => `${route} needs ${ROUTE_SCOPES[route]}; this token has ${list([...caller.scopes])}.`,
};

/** The steps after the token was let in. */
const OF_CALLER: readonly Step<KnownCall>[] = [BINDING_STEP, APP_RULES_STEP, ACCESS_STEP];

/**
 * Explains how the gate would respond to a token: runs the gate's own steps one by one, and looks people up without creating any.
 * The token is not remembered, and its use is not recorded.
 */
export class TokenExplainer {
  readonly #makeGate: () => ClientApiGate;
  readonly #appAccess: AppAccess;

  /** @param makeGate makes a gate for one token, which creates no people and remembers nothing beyond that token */
  constructor(makeGate: () => ClientApiGate, appAccess: AppAccess) {
    this.#makeGate = makeGate;
    this.#appAccess = appAccess;
  }

  /** @throws any error that is not a refusal by the gate, for example if storage is unavailable */
  async explain(instance: RequestInstance, trial: Trial): Promise<TokenExplanation> {
    const { route } = trial;
    const { token, scheme } = readPasted(trial.token);
    const { steps, verdict } = await this.#makeGate().examine(instance, token, trial).explain();
    const access =
      verdict instanceof ApiError
        ? { steps: OF_CALLER.map(({ title }) => notReached(title)), refusal: verdict }
        : await explainSteps(OF_CALLER, {
            instance,
            caller: await withinRules(this.#appAccess, instance.policy, verdict),
            route,
            scheme,
          });
    const { refusal } = access;
    const jwt = parseCompactJwt(token);
    return {
      status: refusal?.status ?? 200,
      code: refusal?.code,
      message: refusal?.description ?? "The call is accepted.",
      steps: [...steps, ...access.steps],
      decoded: jwt && { header: jwt.header, payload: jwt.payload },
    };
  }
}

/** Reads a pasted token. People also copy the header's name and scheme, and line breaks from a terminal. */
function readPasted(pasted: string): { token: string; scheme: TokenScheme } {
  const value = pasted.trim().replace(/^authorization: */i, "");
  return { token: value.replace(/^(bearer|dpop) +/i, ""), scheme: schemeOf(value) };
}
