import { onOurPages, type Reader } from "#app-access/app-access.ts";
import type { AnswerPart, Chat } from "#client-api/chat/chat.ts";
import type { Search, Searched, SearchPage } from "#client-api/search/search.ts";
import { documentId } from "#client-api/document-answer.ts";
import { firstLanguage } from "#documents/languages.ts";
import { urlOfSection } from "#documents/anchors.ts";
import { readable } from "#documents/words.ts";
import { ENGLISH_LOCALE, type Locale, refusalText } from "#messages/locale.ts";
import { brandOf } from "#instance/policy-snapshot.ts";
import { epochSeconds } from "#platform/clock.ts";
import { createFactory } from "#platform/handlers.ts";
import { readQuery } from "#platform/http.ts";
import { ApiError } from "#protocol/errors.ts";
import type { SignedInEnv } from "#session/session-middleware.tsx";
import { asTyped } from "./as-typed.ts";
import {
  addressOf,
  type Asked,
  dayAt,
  filterText,
  isAsked,
  nextAddressOf,
  readAsked,
  requestOf,
  RESULTS_PER_PAGE,
} from "./asked.ts";
import { isQuestion } from "./question.ts";
import type { ResultShown } from "./views/documents.tsx";
import { ResultsPage, type ResultsShown } from "./views/results-page.tsx";

const pages = createFactory<SignedInEnv<{ readonly search: Search; readonly chat: Chat }>>();

const DAY_SECONDS = 86_400;

/** How many documents are suggested. */
const SUGGESTIONS = 6;

/** Ranges of "last updated", by days. */
const UPDATED = [
  ["search_past_week", 7],
  ["search_past_month", 30],
  ["search_past_year", 365],
] as const;

/** GET /search: the signed-in person's search. */
export const searchPageEndpoint = pages.createHandlers(async (c) => {
  const { instance, services, session, locale = ENGLISH_LOCALE } = c.var;
  const asked = readAsked(readQuery(c));
  let problem: string | undefined;
  let page: SearchPage | undefined;
  let answer: readonly AnswerPart[] = [];
  if (isAsked(asked)) {
    try {
      const reader = onOurPages(session.person);
      [page, answer] = await Promise.all([
        services.search.search(instance.policy, reader, requestOf(asked), {
          language: firstLanguage(c.req.header("Accept-Language")),
        }),
        isQuestion(asked) ? answerOf(services.chat, instance.policy, reader, asked.query) : [],
      ]);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      problem = asked.cursors.length === 0 ? refusalText(locale, error).text : locale.messages.search_page_gone;
    }
  }
  return c.html(
    <ResultsPage
      brand={brandOf(instance.policy)}
      locale={locale}
      person={session.person}
      csrfToken={session.csrfToken}
      query={asked.query}
      filters={asked.filters.map((filter) => ({
        ...filter,
        written: filterText(filter),
        without: without(asked, { filters: asked.filters.filter((other) => other !== filter) }),
      }))}
      since={asked.since === undefined ? null : { day: asked.since, without: without(asked, { since: undefined }) }}
      like={asked.like === undefined ? null : { id: asked.like, without: without(asked, { like: undefined }) }}
      problem={problem === undefined ? null : { message: problem, again: without(asked, {}) }}
      results={page === undefined ? null : shown(asked, page, answer, locale)}
    />,
    problem === undefined ? 200 : 400,
  );
});

/** GET /search/suggestions: the first documents for what was typed so far, for the script of the page. */
export const suggestionsEndpoint = pages.createHandlers(async (c) => {
  const { instance, services, session } = c.var;
  const [query = ""] = readQuery(c).all("q");
  const { documents } = await services.search.search(
    instance.policy,
    onOurPages(session.person),
    { query, pageSize: SUGGESTIONS },
    { language: firstLanguage(c.req.header("Accept-Language")), isTyping: true },
  );
  return c.json({
    suggestions: documents.map(toShown).map(({ title, url, datasource }) => ({ title, url, datasource })),
  });
});

/** Returns the address of the first page of a changed search. */
function without(asked: Asked, changes: Partial<Asked>): string {
  return addressOf({ ...asked, cursors: [], ...changes });
}

function shown(asked: Asked, page: SearchPage, answer: readonly AnswerPart[], { messages }: Locale): ResultsShown {
  const { cursors, filters } = asked;
  const next = page.cursor === undefined ? null : nextAddressOf(asked, page.cursor);
  const chosen = new Set(filters.map(({ field }) => field));
  const now = epochSeconds();
  return {
    now,
    answer,
    total: page.total,
    first: cursors.length * RESULTS_PER_PAGE + 1,
    documents: page.documents.map((document) => ({
      ...toShown(document),
      copies: document.copies ?? 0,
      alike: without(asked, { like: documentId(document) }),
    })),
    corrected: page.correctedWords.map(({ typed, found }) => ({ typed: asTyped(asked.query, typed), found })),
    missing: page.missingWords
      .filter((word) => !page.correctedWords.some(({ typed }) => typed === word))
      .map((word) => asTyped(asked.query, word))
      .map((word) => ({ word, required: without(asked, { query: `${asked.query.trim()} "${word}"` }) })),
    missingFilters: (page.missingFilters ?? []).map(({ field, values }) => ({ field, value: values.join(", ") })),
    facets: (page.facets ?? [])
      .filter(({ field }) => !chosen.has(field))
      .map(({ field, buckets }) => ({
        field,
        values: buckets.map(({ value, count }) => ({
          value,
          count,
          address: without(asked, { filters: [...filters, { field, value }] }),
        })),
      })),
    updated: UPDATED.map(([label, days]) => ({
      label: messages[label],
      address: without(asked, { since: dayAt(now - days * DAY_SECONDS) }),
    })),
    previous: cursors.length === 0 ? null : addressOf({ ...asked, cursors: cursors.slice(0, -1) }),
    next,
    isCutOff: page.cursor !== undefined && next === null,
  };
}

/** Returns an answer that is wholly taken from documents. One that says what is missing adds nothing to the results below it. */
async function answerOf(
  chat: Chat,
  policy: Searched,
  reader: Reader,
  question: string,
): Promise<readonly AnswerPart[]> {
  try {
    const parts = await chat.answer(policy, reader, question);
    return parts.every(({ passages }) => passages.length > 0) ? parts : [];
  } catch (error) {
    // The search fails for the same reason, and says so.
    if (error instanceof ApiError) return [];
    throw error;
  }
}

function toShown({
  title,
  url,
  section,
  excerpt,
  ...document
}: SearchPage["documents"][number]): Omit<ResultShown, "copies" | "alike"> {
  const { datasource, objectType, authorName, updatedAt } = document;
  return {
    title: readable(title),
    url: urlOfSection(url, section),
    excerpt,
    datasource,
    objectType,
    authorName,
    updatedAt,
  };
}
