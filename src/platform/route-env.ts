import type { Locale } from "#messages/locale.ts";
import type { Refusal } from "#protocol/errors.ts";
import type { Bindings } from "./bindings.ts";

/** The form in which a route's refusals are written. */
export type AnswerForm = "page" | "oauth" | "api" | "mcp" | "scim" | "secevent";

/** Facts about a request that its response needs. */
export interface AnswerFrame {
  readonly requestId: string;
  /** The request's URL up to its path. */
  readonly origin: string;
  /** Whether the request came over https. */
  readonly isSecure: boolean;
  /** The nonce for the sender's next DPoP proof. */
  dpopNonce: string | undefined;
  /** Returns the `WWW-Authenticate` of this route's 401 and 403 responses; absent outside the APIs. */
  challenge: ((refusal: Refusal) => string) | undefined;
  /**
   * A response that was created with the headers of every response. On all others these are set at the end, which costs more.
   */
  made: Response | undefined;
}

/** The variables that every request has. */
export interface RequestVariables {
  readonly frame: AnswerFrame;
  /** Absent if refusals are written as those of the APIs. */
  answerForm: AnswerForm | undefined;
  /**
   * Begins to read what the request will need besides its instance's policy, and returns when there is nothing to wait for any more. It
   * never fails: what it could not read is read again.
   */
  readAhead: (() => Promise<void>) | undefined;
  /** The language of a page; absent if the response is in English. */
  locale: Locale | undefined;
}

/**
 * The environment of a handler: the services that it uses and the variables that the middleware of its routes sets.
 * `src/app-env.ts` checks that the routes on which a handler is mounted provide all of this.
 *
 * Handlers that programs call often read variables with `get`: for each access to `var`, Hono copies all variables into a new object.
 */
export interface RouteEnv<Services extends object = object, Variables extends object = object> {
  Bindings: Bindings;
  Variables: RequestVariables & { services: Services } & Variables;
}
