import type { Locale } from "#messages/locale.ts";
import type { Refusal } from "#protocol/errors.ts";
import type { Bindings } from "./bindings.ts";

/** In which form a route's refusals are written. */
export type AnswerForm = "page" | "oauth" | "api" | "mcp" | "scim" | "secevent";

/** What is around every answer. */
export interface AnswerFrame {
  readonly requestId: string;
  /** The request's URL up to its path. */
  readonly origin: string;
  /** Whether the request came over https. */
  readonly isSecure: boolean;
  /** For the sender's next proof of a key. */
  dpopNonce: string | undefined;
  /** The `WWW-Authenticate` of this route's 401 and 403; absent outside the APIs. */
  challenge: ((refusal: Refusal) => string) | undefined;
  /** An answer that was made with the headers of every answer. On any other they are set as it leaves, which costs more. */
  made: Response | undefined;
}

/** What every request carries through the router. */
export interface RequestVariables {
  readonly frame: AnswerFrame;
  /** Absent where refusals are written as those of the APIs. */
  answerForm: AnswerForm | undefined;
  /** The language of a page; absent where answers are in English. */
  locale: Locale | undefined;
}

/**
 * The environment of a handler: the services that it calls and what the middleware of its routes has set. `src/app-env.ts` checks that
 * the routes on which a handler stands give it all of this.
 *
 * Handlers that programs call often read it with `get`: each time that they name `var`, Hono copies all variables into a new object.
 */
export interface RouteEnv<Services extends object = object, Variables extends object = object> {
  Bindings: Bindings;
  Variables: RequestVariables & { services: Services } & Variables;
}
