import { Pager } from "#pages/views/pager.tsx";
import type { Brand } from "#instance/policy-snapshot.ts";
import { type Locale, partsOf, textOf } from "#messages/locale.ts";
import { Layout, type Reader } from "#pages/views/layout.tsx";
import { sentence } from "#pages/views/fields.tsx";
import type { SearchPage } from "#client-api/search/search.ts";
import type { AnswerPart } from "#client-api/chat/chat.ts";
import { Answer } from "./answer.tsx";
import { Documents, type ResultShown } from "./documents.tsx";
import { Facets, type FacetShown, nameOf } from "./facets.tsx";

export interface ResultsPageProps extends Reader {
  readonly brand: Brand;
  readonly query: string;
  /** The filters in use, each with the address of the search without it. */
  readonly filters: readonly FilterShown[];
  readonly since: { readonly day: string; readonly without: string } | null;
  /** The document to which all results are nearly the same. */
  readonly like: { readonly id: string; readonly without: string } | null;
  readonly problem: { readonly message: string; readonly again: string } | null;
  /** `null` if nothing was searched for or the search was refused. */
  readonly results: ResultsShown | null;
}

/** A filter in use. */
interface FilterShown {
  readonly field: string;
  readonly value: string;
  /** Field and value, as the form sends them. */
  readonly written: string;
  readonly without: string;
}

const MISSING = {
  datasource: "search_none_of_datasource",
  type: "search_none_of_type",
  from: "search_none_by_author",
} as const;

export interface ResultsShown {
  /** The time of the search, in epoch seconds. */
  readonly now: number;
  /** An answer, if the search was a question that documents answer; else empty. */
  readonly answer: readonly AnswerPart[];
  /** The number of the first result of this page. */
  readonly first: number;
  /** How many results there are on all pages. */
  readonly total: SearchPage["total"];
  readonly documents: readonly ResultShown[];
  /** Words that no document has, and those that were searched for instead. */
  readonly corrected: readonly { readonly typed: string; readonly found: string }[];
  /** Words that some result of this page lacks, each with the address of the search that requires it. */
  readonly missing: readonly { readonly word: string; readonly required: string }[];
  /** What no document has, if nothing was found. */
  readonly missingFilters: readonly { readonly field: keyof typeof MISSING; readonly value: string }[];
  readonly facets: readonly FacetShown[];
  readonly updated: readonly { readonly label: string; readonly address: string }[];
  readonly previous: string | null;
  readonly next: string | null;
  /** Whether there are more results, beyond the last page that can be shown. */
  readonly isCutOff: boolean;
}

/** The search page: a search field, the results, and filters. */
export function ResultsPage(props: ResultsPageProps) {
  const { locale, query, results, problem } = props;
  const { messages } = locale;
  return (
    <Layout
      title={query === "" ? messages.search : `${query} · ${messages.search}`}
      brand={props.brand}
      locale={locale}
      width="results"
      script="/assets/search.js"
      reader={{ person: props.person, csrfToken: props.csrfToken }}
    >
      <h1>{textOf(locale, "search_heading", { organisation: props.brand.organisation })}</h1>
      <SearchForm {...props} />
      {props.filters.length === 0 && props.since === null && props.like === null ? null : <Narrowed {...props} />}
      {problem === null ? null : (
        <div class="notice" role="alert">
          <p>{sentence(problem.message)}</p>
          <p>
            <a href={problem.again}>{messages.search_again}</a>
          </p>
        </div>
      )}
      {results === null ? (
        problem === null ? (
          <Hints {...props} />
        ) : null
      ) : (
        <Results results={results} locale={locale} />
      )}
    </Layout>
  );
}

function SearchForm({ locale, query, filters, since, results }: ResultsPageProps) {
  return (
    <form method="get" action="/search" role="search" class="find">
      <label for="q" class="unseen">
        {locale.messages.search_for}
      </label>
      <input
        id="q"
        type="search"
        name="q"
        value={query}
        dir="auto"
        maxlength={2000}
        autocomplete="off"
        autofocus={results === null}
      />
      {filters.map(({ written }) => (
        <input type="hidden" name="filter" value={written} />
      ))}
      {since === null ? null : <input type="hidden" name="since" value={since.day} />}
      <button type="submit" class="primary">
        {locale.messages.search}
      </button>
    </form>
  );
}

/** The filters in use. Each link removes one. */
function Narrowed({ locale, filters, since, like }: ResultsPageProps) {
  const removing = (filter: string) => textOf(locale, "search_remove_filter", { filter });
  return (
    <ul class="narrowed" aria-label={locale.messages.search_filters}>
      {filters.map(({ field, value, without }) => {
        const name = nameOf(field, locale);
        return (
          <li>
            <a href={without} aria-label={removing(`${name}: ${value}`)}>
              {name}: <bdi>{value}</bdi>
            </a>
          </li>
        );
      })}
      {like === null ? null : (
        <li>
          <a href={like.without} aria-label={removing(textOf(locale, "search_alike_to", { document: like.id }))}>
            {partsOf(locale, "search_alike_to", { document: <bdi>{like.id}</bdi> })}
          </a>
        </li>
      )}
      {since === null ? null : (
        <li>
          <a href={since.without} aria-label={removing(textOf(locale, "search_updated_since", { day: since.day }))}>
            {partsOf(locale, "search_updated_since", { day: <bdi>{since.day}</bdi> })}
          </a>
        </li>
      )}
    </ul>
  );
}

function Hints({ locale: { messages }, person }: Reader) {
  return (
    <>
      <p class="lead">{messages.search_lead}</p>
      <dl class="facts operators">
        {[
          ['"exact phrase"', messages.search_phrase],
          ["-draft", messages.search_without],
          [`from:${person.name.replace(/\s.*/s, "")}`, messages.search_by_author],
          ["type:page", messages.search_of_type],
          ["last_updated_at:2026-03-01", messages.search_of_day],
        ].map(([written, meaning]) => (
          <div>
            <dt>
              <code>{written}</code>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** Says which results a page shows. Those with some of the words may follow after those that are counted. */
function rangeText({ documents, first, total }: ResultsShown, locale: Locale): string {
  const last = first + documents.length - 1;
  if (!total || total.documents < last) return textOf(locale, "search_range", { first, last });
  const shown = { first, last, total: total.documents.toLocaleString(locale.language) };
  return textOf(locale, total.isExact ? "search_range_of" : "search_range_about", shown);
}

function Results({ results, locale }: { readonly results: ResultsShown; readonly locale: Locale }) {
  const { messages } = locale;
  const words = { previous: messages.search_previous, next: messages.search_next };
  const { documents, first, corrected, missing, previous, next } = results;
  if (documents.length === 0) {
    return (
      <>
        <p role="status">{first === 1 ? messages.search_none : messages.search_no_more}</p>
        {results.missingFilters.map(({ field, value }) => (
          <p class="quiet">{partsOf(locale, MISSING[field], { value: <bdi>{value}</bdi> })}</p>
        ))}
        {first === 1 ? (
          <ul>
            <li>{messages.search_none_spelling}</li>
            <li>{messages.search_none_access}</li>
          </ul>
        ) : null}
        <Pager label={messages.search_pages} previous={previous} next={null} words={words} />
      </>
    );
  }
  return (
    <div class="found">
      <section aria-label={messages.search_results}>
        <p class="quiet" role="status">
          {rangeText(results, locale)} <a href="#filters">{messages.search_filter}</a>
        </p>
        {corrected.length === 0 ? null : (
          <p class="quiet">
            {partsOf(locale, "search_corrected", {
              found: <bdi>{corrected.map(({ found }) => found).join(", ")}</bdi>,
              typed: <bdi>{corrected.map(({ typed }) => typed).join(", ")}</bdi>,
            })}
          </p>
        )}
        {missing.length === 0 ? null : (
          <p class="quiet">
            {partsOf(locale, "search_missing", {
              words: (
                <>
                  {missing.map(({ word, required }, at) => (
                    <>
                      {at === 0 ? null : ", "}
                      <a href={required} aria-label={textOf(locale, "search_only_with", { word })}>
                        <bdi>{word}</bdi>
                      </a>
                    </>
                  ))}
                </>
              ),
            })}
          </p>
        )}
        {results.answer.length === 0 ? null : <Answer parts={results.answer} locale={locale} />}
        <Documents documents={documents} first={first} now={results.now} locale={locale} />
        {results.isCutOff ? <p class="notice">{messages.search_more}</p> : null}
        <Pager label={messages.search_pages} previous={previous} next={next} words={words} />
      </section>
      <Facets facets={results.facets} updated={results.updated} locale={locale} />
    </div>
  );
}
