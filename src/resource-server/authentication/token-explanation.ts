import { parseCompactJwt } from "#crypto/compact-jwt.ts";
import { requireScheme, type TokenScheme } from "#dpop/token-use.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { ApiError } from "#protocol/errors.ts";
import type { AppAccess } from "#app-access/app-access.ts";
import { APP_RULES_STEP, withinRules } from "#resource-server/authorization/app-rules-step.ts";
import { accessTo } from "#resource-server/authorization/route-access.ts";
import { type ClientApiRoute, ROUTE_SCOPES } from "#resource-server/authorization/route-scopes.ts";
import type { Caller } from "./caller.ts";
import type { ClientApiGate } from "./client-api-gate.ts";
import type { ExaminedCredentials } from "./credentials.ts";
import { schemeOf } from "./bearer.ts";
import { list } from "./step-texts.ts";
import { type ExplainedStep, explainSteps, notReached, type Step } from "./steps.ts";

/** A call of the Client API that somebody asks about. */
export interface Trial extends ExaminedCredentials {
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
  readonly steps: readonly ExplainedStep[];
  /** What the token says of itself, believed or not; `undefined` where it is no JWT. */
  readonly decoded: { readonly header: unknown; readonly payload: unknown } | undefined;
}

/** A call whose token was admitted. */
interface KnownCall {
  readonly instance: RequestInstance;
  readonly caller: Caller;
  readonly route: ClientApiRoute;
  readonly scheme: TokenScheme;
}

/** Proofs are made for one call, so there is none to check here: this step says whether calls need one. */
const BINDING_STEP: Step<KnownCall> = {
  title: "Key of the app",
  check: ({ scheme, caller }) => requireScheme(scheme, caller.keyThumbprint),
  fact: ({ caller: { keyThumbprint } }) =>
    keyThumbprint === undefined
      ? "The token is bound to no key, so it is sent as Authorization: Bearer."
      : `The token is bound to the key ${keyThumbprint}, so it is sent as Authorization: DPoP, and each call brings a proof that is signed by this key.`,
};

/** The last step, which is the route's. */
const ACCESS_STEP: Step<KnownCall> = {
  title: "Scope of the call",
  check: ({ instance, caller, route }) => accessTo(route)(instance, caller),
  fact: ({ caller, route }) => `${route} needs ${ROUTE_SCOPES[route]}; this token has ${list([...caller.scopes])}.`,
};

/** The steps after the token was admitted. */
const OF_CALLER: readonly Step<KnownCall>[] = [BINDING_STEP, APP_RULES_STEP, ACCESS_STEP];

/**
 * Explains what the gate would answer to a token: the gate's own steps, run one by one, over people who are looked at and never made
 * known. The token is not remembered, and no use of it is recorded.
 */
export class TokenExplainer {
  readonly #makeGate: () => ClientApiGate;
  readonly #appAccess: AppAccess;

  /** @param makeGate makes a gate for one token: it makes nobody known, and what it remembers goes with it */
  constructor(makeGate: () => ClientApiGate, appAccess: AppAccess) {
    this.#makeGate = makeGate;
    this.#appAccess = appAccess;
  }

  /** @throws whatever is no refusal by the gate, such as a storage that does not answer */
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

/** People copy the header's words along, and line breaks that a terminal made. */
function readPasted(pasted: string): { token: string; scheme: TokenScheme } {
  const value = pasted.trim().replace(/^authorization: */i, "");
  return { token: value.replace(/^(bearer|dpop) +/i, ""), scheme: schemeOf(value) };
}
