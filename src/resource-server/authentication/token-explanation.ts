import { parseCompactJwt } from "#crypto/compact-jwt.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { ApiError } from "#protocol/errors.ts";
import { accessTo } from "#resource-server/authorization/route-access.ts";
import { type ClientApiRoute, ROUTE_SCOPES } from "#resource-server/authorization/route-scopes.ts";
import type { Caller } from "./caller.ts";
import type { ClientApiGate } from "./client-api-gate.ts";
import type { Credentials } from "./credentials.ts";
import { list } from "./step-texts.ts";
import { type ExplainedStep, explainSteps, notReached, type Step } from "./steps.ts";

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
  readonly steps: readonly ExplainedStep[];
  /** What the token says of itself, believed or not; `undefined` where it is no JWT. */
  readonly decoded: { readonly header: unknown; readonly payload: unknown } | undefined;
}

/** The last step, which is the route's. */
const ACCESS_STEP: Step<{
  readonly instance: RequestInstance;
  readonly caller: Caller;
  readonly route: ClientApiRoute;
}> = {
  title: "Scope of the call",
  check: ({ instance, caller, route }) => accessTo(route)(instance, caller),
  fact: ({ caller, route }) => `${route} needs ${ROUTE_SCOPES[route]}; this token has ${list([...caller.scopes])}.`,
};

/**
 * Explains what the gate would answer to a token: the gate's own steps, run one by one, over people who are looked at and never made
 * known. The token is not remembered, and no use of it is recorded.
 */
export class TokenExplainer {
  readonly #makeGate: () => ClientApiGate;

  /** @param makeGate makes a gate for one token: it makes nobody known, and what it remembers goes with it */
  constructor(makeGate: () => ClientApiGate) {
    this.#makeGate = makeGate;
  }

  /** @throws whatever is no refusal by the gate, such as a storage that does not answer */
  async explain(instance: RequestInstance, trial: Trial): Promise<TokenExplanation> {
    const { route } = trial;
    const token = bareToken(trial.token);
    const { steps, verdict } = await this.#makeGate().examine(instance, token, trial).explain();
    const access =
      verdict instanceof ApiError
        ? { steps: [notReached(ACCESS_STEP.title)], refusal: verdict }
        : await explainSteps([ACCESS_STEP], { instance, caller: verdict, route });
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

/** People copy the header's word along, and line breaks that a terminal made. */
function bareToken(pasted: string): string {
  return pasted.trim().replace(/^(authorization: *)?bearer +/i, "");
}
