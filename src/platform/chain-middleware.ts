import type { Context, Next } from "hono";
import type { H, RouterRoute } from "hono/types";

type Step = (c: Context, next: Next) => unknown;

type AnswerError = (error: Error, c: any) => Response | Promise<Response>;

/** Joins the handlers of a route into one ({@link chained}), for `LiteralFirstRouter`. */
export function joinedBy(answerError: AnswerError): (handlers: [H, RouterRoute][]) => [H, RouterRoute] {
  return (handlers) => {
    const handler = chained(
      handlers.map(([step]) => step),
      answerError,
    ) as H;
    const last = handlers.at(-1)?.[1];
    return [handler, { ...(last as RouterRoute), handler }];
  };
}

const PASSED = Promise.resolve();

/**
 * Joins the handlers of a route into one, with the same effect as Hono's `compose`: an error becomes a response where it is thrown,
 * so that the earlier middleware can still change that response.
 *
 * `compose` wraps every handler in an async function. Here, middleware that only calls next() and handlers that respond
 * synchronously need no promise (docs/decisions/0045-a-fast-request-path.md).
 *
 * @param answerError makes the response to an error
 */
export function chained(steps: readonly Step[], answerError: AnswerError): Step {
  return (c) => {
    const take = (answer: unknown) => {
      if (answer && !c.finalized) c.res = answer as Response;
    };
    const refuse = async (error: unknown) => {
      if (!(error instanceof Error)) throw error;
      c.error = error;
      c.res = await answerError(error, c);
    };
    const pass = (at: number): Promise<void> => {
      const step = steps[at] ?? answerNothing;
      let behind: Promise<void> | undefined;
      try {
        const given = step(c, () => (behind = pass(at + 1)));
        if (given === behind && behind !== undefined) return behind;
        if (given instanceof Promise) return given.then(take, refuse);
        take(given);
        return PASSED;
      } catch (error) {
        return refuse(error);
      }
    };
    return pass(0);
  };
}

/** Called if the last handler calls next(): there is no handler after it. */
function answerNothing(c: Context): unknown {
  return c.finalized ? undefined : c.notFound();
}
