import { render } from "#admin-console/page-endpoint.ts";
import { AskingPage, type Question } from "#pages/views/asking-page.tsx";
import type { FormState } from "#platform/form-state.ts";
import { readQuery } from "#platform/http.ts";
import type { Context } from "hono";
import { formAt } from "./console-forms.ts";
import { type ConsoleContext, type ConsoleFormEnv, forms, pages } from "./http.ts";
import { statusOf } from "./refused-form.ts";

/** A decision that is confirmed on a page of its own. Its button and its act are in `console-forms.ts`. */
interface Decision<Subject> {
  /**
   * Returns what it is about; absent: the instance.
   *
   * @param field returns a value from the question’s address, and later from its form
   * @throws {ApiError} if there is no such thing
   */
  readonly about?: (c: ConsoleContext, field: (name: string) => string | undefined) => Subject | Promise<Subject>;
  /** Returns what is asked, or a response if there is nothing to decide. */
  readonly question: (c: ConsoleContext, subject: Subject) => Question | Response | Promise<Question | Response>;
  /** Performs the act, and returns where people read what was done. */
  readonly decide: (c: Context<ConsoleFormEnv>, subject: Subject) => Promise<Response>;
}

/** The handlers of a decision: `GET` asks, and `POST` to the same path decides. */
export type DecisionHandlers = ReturnType<typeof decision<never>>;

/** Creates the handlers of a decision. */
export function decision<Subject>({ about = () => undefined as Subject, question, decide }: Decision<Subject>) {
  return {
    ask: pages.createHandlers(async (c) => {
      const asked = await question(c, await about(c, (name) => readQuery(c).all(name)[0]));
      return asked instanceof Response ? asked : ask(c, asked);
    }),
    decide: forms.createHandlers(async (c) => decide(c, await about(c, (name) => c.var.form.one(name)))),
  };
}

/** Asks a question, also as the response to a form that takes more away than its sender may know. */
export function ask(c: ConsoleContext, question: Question, state?: FormState): Response | Promise<Response> {
  const { button = "" } = formAt(c.req.path) ?? {};
  return render(
    c,
    <AskingPage {...{ question, button }} {...(state && { state })} />,
    state === undefined ? 200 : statusOf(state),
  );
}
