import type { ActName } from "#administration/act-table.ts";
import type { Administration } from "#administration/administration.ts";
import { AskingPage, type Question } from "#pages/views/asking-page.tsx";
import type { FormState } from "#platform/described-members.ts";
import { readQuery } from "#platform/http.ts";
import type { Parameters } from "#protocol/parameters.ts";
import type { Context } from "hono";
import type { ConsoleContext, ConsoleEnv, ConsoleFormEnv } from "./http.ts";
import { refusedForm, statusOf } from "./form-values.ts";
import { renderWithin } from "#pages/views/console-frame.ts";
import type { JSX } from "hono/jsx/jsx-runtime";
import type { ListView } from "#pages/views/list-view.tsx";
import { type ListPage, type ListQuery, type ListSpec, orderOf, readListQuery } from "#platform/listing.ts";

/** Responds with a page of the console. */
export function render(c: ConsoleContext, page: JSX.Element, status: 200 | 404 | 409 | 422 = 200): Response {
  return c.html(renderWithin(c.var.console, page as { toString: () => string }), status);
}

/**
 * Reads the page of a list that an address asks for. Ignores empty fields, and parameters that only the page itself uses.
 *
 * @param usual default filters
 * @throws {ApiError} `bad_request`, naming the parameter
 */
export async function readList<Item>(
  c: ConsoleContext,
  spec: ListSpec,
  read: (instanceId: number, query: ListQuery) => Promise<ListPage<Item>>,
  usual: Readonly<Record<string, string>> = {},
): Promise<{ readonly items: readonly Item[]; readonly list: ListView }> {
  const given = new Map(Object.entries(usual));
  for (const name of ["search", "sort", "cursor", ...Object.keys(spec.filters)]) {
    const value = readQuery(c).all(name)[0]?.trim();
    if (value) given.set(name, value);
  }
  const query = readListQuery(spec, given);
  const { items, ...page } = await read(c.var.instance.policy.instanceId, query);
  const { search, filters } = query;
  const values = { ...Object.fromEntries(filters), ...(search === "" ? {} : { search }), sort: orderOf(query) };
  return { items, list: listView(c, spec, page, values) };
}

/** Returns a list as its page shows it. @param values the search, filters and order in the address, by field */
export function listView(
  c: ConsoleContext,
  { words }: ListSpec,
  { total, previousCursor, nextCursor }: Omit<ListPage<unknown>, "items">,
  values: Readonly<Record<string, string>>,
): ListView {
  const { path } = c.req;
  const hrefOf = (cursor: string | null) =>
    cursor === null ? undefined : `${path}?${new URLSearchParams({ ...values, cursor }).toString()}`;
  return { path, words, values, total, previous: hrefOf(previousCursor), next: hrefOf(nextCursor) };
}

type Answer = Response | Promise<Response>;

/** A form that was sent. */
export interface Sent {
  readonly c: Context<ConsoleFormEnv>;
  readonly form: Parameters;
  readonly administration: Administration;
  /** Asks a question, as the response to a form that takes more away than its sender may know. The confirmation sends it again. */
  readonly ask: (question: Question, state?: FormState) => Answer;
}

/** A form that decides something: what it performs, what is asked before, and what is said afterwards. */
interface Form<Subject, Outcome> {
  /** The page that has the form, if it is at its path. */
  readonly page?: Page;
  /** The act that it performs. If a person's role doesn't allow it, the form is hidden or disabled. */
  readonly act: ActName;
  /** The label of the button that confirms it, also after a fresh sign-in; it says what will be done. */
  readonly button: string;
  /** Why the form needs no fresh sign-in although its act does. */
  readonly anySignIn?: string | undefined;
  /** Selects which of the forms sent to this address need a fresh sign-in, if the others end access or change nothing. */
  readonly when?: ((form: Parameters) => boolean) | undefined;
  /**
   * Returns what it is about; absent: the instance.
   *
   * @param field returns a value from the question’s address, and later from the form
   * @throws {ApiError} if there is no such thing
   */
  readonly about?: (c: ConsoleContext, field: (name: string) => string | undefined) => Subject | Promise<Subject>;
  /** Returns what a GET of its address asks, or a response if there is nothing to decide. */
  readonly question?: (c: ConsoleContext, subject: Subject) => Question | Response | Promise<Question | Response>;
  /** Performs the act. If it returns a response, such as one with a secret, that is sent instead of leading elsewhere. */
  readonly decide: (sent: Sent, subject: Subject) => Promise<Outcome | Response>;
  /** Shows the form again, with what was typed and what to fix. If absent, a refusal is an error page. */
  readonly again?: (sent: Sent, state: FormState, subject: Subject, error: unknown) => Answer;
  /** The field for the message of a refusal that names none. */
  readonly field?: string;
  /** The path below `/admin` of the page that it leads to; absent: its own. */
  readonly leadsTo?: string | undefined;
  /** Returns the address of that page, if it needs more than the parameters of the form's own path. */
  readonly at?: (outcome: Outcome, subject: Subject) => string;
  /** What that page says, by word: the outcome, the second one if that is `false`, otherwise the first one. */
  readonly says?: Readonly<Record<string, string>> | undefined;
}

type Page = (c: Context<ConsoleEnv>) => Answer;

/** A form as its path is mounted. */
export interface ConsoleForm
  extends Pick<Form<unknown, unknown>, "act" | "button" | "anySignIn" | "when" | "leadsTo" | "says"> {
  readonly send: (c: Context<ConsoleFormEnv>) => Promise<Response>;
}

/** What a GET and a POST of a path do. */
interface ConsolePath {
  readonly page?: Page | undefined;
  readonly form?: ConsoleForm;
}

/** The pages and forms of the console, by their paths below `/admin`. */
export type ConsolePaths = Readonly<Record<string, ConsolePath>>;

/** Makes a path with a form: a GET shows its page or asks its question, and a POST takes the form. */
export function consoleForm<Subject = undefined, Outcome = unknown>(described: Form<Subject, Outcome>): ConsolePath {
  const { about = () => undefined as Subject, again, at, button, decide, field, leadsTo, page, question } = described;
  const { act, anySignIn, when, says } = described;
  const asking: Page | undefined =
    question &&
    (async (c) => {
      const asked = await question(c, await about(c, (name) => readQuery(c).all(name)[0]));
      return asked instanceof Response ? asked : ask(c, button, asked);
    });
  const send: ConsoleForm["send"] = async (c) => {
    const { form, services } = c.var;
    const { administration } = services;
    const sent: Sent = { c, form, administration, ask: (asked, state) => ask(c, button, asked, state) };
    const subject = await about(c, (name) => form.one(name));
    try {
      const outcome = await decide(sent, subject);
      if (outcome instanceof Response) return outcome;
      return leadTo(c, at?.(outcome, subject) ?? addressOf(c, leadsTo), wordOf(outcome, says));
    } catch (error) {
      if (!again) throw error;
      return again(sent, refusedForm(form, error, field), subject, error);
    }
  };
  return { page: page ?? asking, form: { act, button, anySignIn, when, leadsTo, says, send } };
}

/** Redirects to a page, which says what was done. */
export function leadTo(c: ConsoleContext, address: string, word: string): Response {
  return c.redirect(`${address}${address.includes("?") ? "&" : "?"}done=${word}`, 303);
}

function wordOf(outcome: unknown, says: ConsoleForm["says"] = {}): string {
  if (typeof outcome === "string" && Object.hasOwn(says, outcome)) return outcome;
  const [first = "", second = first] = Object.keys(says);
  return outcome === false ? second : first;
}

/** Returns the address of a page, whose parameters are those of the form's own path. */
function addressOf(c: ConsoleContext, page: string | undefined): string {
  return page === undefined
    ? c.req.path
    : `/admin${page.replaceAll(/:(\w+)/g, (_, name: string) => c.req.param(name) ?? "")}`;
}

function ask(c: ConsoleContext, button: string, question: Question, state?: FormState): Answer {
  const page = <AskingPage {...{ question, button }} {...(state && { state })} />;
  return render(c, page, state === undefined ? 200 : statusOf(state));
}
