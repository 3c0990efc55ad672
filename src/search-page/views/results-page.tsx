import { Pager } from "#pages/views/pager.tsx";
import type { Brand } from "#instance/policy-snapshot.ts";
import { Layout } from "#pages/views/layout.tsx";
import { sentence } from "#pages/views/sentence.ts";
import { Documents, type ResultShown } from "./documents.tsx";
import { Facets, type FacetShown, nameOf } from "./facets.tsx";

export interface ResultsPageProps {
  readonly service: string;
  readonly brand: Brand;
  readonly person: { readonly name: string; readonly email: string };
  readonly csrfToken: string;
  readonly query: string;
  /** What results are narrowed to, each with the address of the search without it. */
  readonly filters: readonly FilterShown[];
  readonly since: { readonly day: string; readonly without: string } | null;
  readonly problem: { readonly message: string; readonly again: string } | null;
  /** `null`: nothing was looked for. */
  readonly results: ResultsShown | null;
}

/** A filter in use. */
interface FilterShown {
  readonly field: string;
  readonly value: string;
  /** Both, as the form sends them. */
  readonly written: string;
  readonly without: string;
}

export interface ResultsShown {
  /** The number of the first result of this page. */
  readonly first: number;
  readonly documents: readonly ResultShown[];
  /** Words that some result of this page lacks, each with the address of the search that requires it. */
  readonly missing: readonly { readonly word: string; readonly required: string }[];
  readonly facets: readonly FacetShown[];
  readonly updated: readonly { readonly label: string; readonly address: string }[];
  readonly previous: string | null;
  readonly next: string | null;
  /** There are more results than this page lists. */
  readonly isCutOff: boolean;
}

/** A person's search: a box, what it finds, and ways to narrow it. */
export function ResultsPage(props: ResultsPageProps) {
  const { query, person, results, problem } = props;
  return (
    <Layout
      title={query === "" ? "Search" : `${query} · Search`}
      service={props.service}
      brand={props.brand}
      width="results"
    >
      <h1>Search {props.brand.organisation}</h1>
      <SearchForm {...props} />
      {props.filters.length === 0 && props.since === null ? null : <Narrowed {...props} />}
      {problem === null ? null : (
        <div class="notice" role="alert">
          <p>{sentence(problem.message)}</p>
          <p>
            <a href={problem.again}>Start this search again</a>
          </p>
        </div>
      )}
      {results === null ? problem === null ? <Hints /> : null : <Results results={results} />}
      <form method="post" action="/sign-out" class="signed-in quiet">
        <input type="hidden" name="csrf_token" value={props.csrfToken} />
        <span>
          You are signed in as {person.name}, {person.email}. <a href="/account">Your connected apps</a>
        </span>
        <button type="submit">Sign out</button>
      </form>
    </Layout>
  );
}

function SearchForm({ query, filters, since, results }: ResultsPageProps) {
  return (
    <form method="get" action="/search" role="search" class="find">
      <label for="q" class="unseen">
        Search for
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
        Search
      </button>
    </form>
  );
}

/** What the results are narrowed to; each link takes one away. */
function Narrowed({ filters, since }: ResultsPageProps) {
  return (
    <ul class="narrowed" aria-label="Filters in use">
      {filters.map(({ field, value, without }) => (
        <li>
          <a href={without} aria-label={`Remove the filter ${nameOf(field)}: ${value}`}>
            {nameOf(field)}: <bdi>{value}</bdi>
          </a>
        </li>
      ))}
      {since === null ? null : (
        <li>
          <a href={since.without} aria-label={`Remove the filter Updated since ${since.day}`}>
            Updated since <bdi>{since.day}</bdi>
          </a>
        </li>
      )}
    </ul>
  );
}

function Hints() {
  return (
    <>
      <p class="lead">Search for a few words or a question. You find only documents that you may see.</p>
      <dl class="facts operators">
        {[
          ['"exact phrase"', "these words in this order"],
          ["-draft", "without a word"],
          ["from:ada", "by author"],
          ["type:page", "of a type"],
          ["last_updated_at:2026-03-01", "last updated on a day"],
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

function Results({ results }: { readonly results: ResultsShown }) {
  const { documents, first, missing, previous, next } = results;
  if (documents.length === 0) {
    return (
      <>
        <p role="status">{first === 1 ? "No documents found." : "There are no more results."}</p>
        {first === 1 ? (
          <ul>
            <li>Check the spelling, or use fewer words or filters.</li>
            <li>Documents that you may not see are never found: ask their owner for access.</li>
          </ul>
        ) : null}
        <Pager label="Pages of results" previous={previous} next={null} />
      </>
    );
  }
  return (
    <div class="found">
      <section aria-label="Results">
        <p class="quiet" role="status">
          Results {first} to {first + documents.length - 1}. <a href="#filters">Filter</a>
        </p>
        {missing.length === 0 ? null : (
          <p class="notice">
            Not every result has all of your words. Missing from some:{" "}
            {missing.map(({ word, required }, at) => (
              <>
                {at === 0 ? null : ", "}
                <a href={required} aria-label={`Only results with ${word}`}>
                  <bdi>{word}</bdi>
                </a>
              </>
            ))}
            . Select a word to require it.
          </p>
        )}
        <Documents documents={documents} first={first} />
        {results.isCutOff ? (
          <p class="notice">There are more results. Add a word or a filter to narrow the search.</p>
        ) : null}
        <Pager label="Pages of results" previous={previous} next={next} />
      </section>
      <Facets facets={results.facets} updated={results.updated} />
    </div>
  );
}
