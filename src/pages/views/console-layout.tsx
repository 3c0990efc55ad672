import type { Child } from "hono/jsx";
import { known, t, useFrame } from "./console-frame.ts";
import { SECTION_GROUPS, sectionOf } from "./console-sections.ts";
import { Document, Mark } from "./layout.tsx";
import { PostForm } from "./post-form.tsx";
import { Ago } from "./time.tsx";

/**
 * The layout of the console's pages: the navigation, who is signed in, and what was just done.
 *
 * @param props.lead one sentence under the title
 */
export function ConsoleLayout(props: { readonly title: string; readonly lead?: Child; readonly children?: Child }) {
  const { title, lead, children } = props;
  const frame = useFrame();
  const section = sectionOf(frame.path);
  const isSignedIn = frame.person.role !== null;
  const assets = (
    <>
      <link rel="stylesheet" href="/assets/console.css" />
      <script src="/assets/console.js" defer data-copy-word={t`Copy`} data-copied-word={t`Copied`} />
    </>
  );
  return (
    <Document
      language={frame.locale.language}
      title={`${title} · ${frame.organisation} · ${frame.service}`}
      head={assets}
      class="console"
    >
      <a class="skip" href="#content">{t`Skip to content`}</a>
      <header class="bar">
        <span class="brand">
          <Mark logo={frame.logo} />
          <span>{frame.organisation}</span>
        </span>
        {isSignedIn ? (
          <>
            <button type="button" class="menu" popovertarget="sections">{t`Menu`}</button>
            <PostForm action="/sign-out" csrfToken={frame.csrfToken} class="who">
              <a href="/account">{frame.person.name}</a>
              <button type="submit">{t`Sign out`}</button>
            </PostForm>
          </>
        ) : null}
      </header>
      {isSignedIn ? (
        <nav class="sections" id="sections" aria-label={t`Administration`} popover="auto">
          {SECTION_GROUPS.map(({ title: group, sections }) => (
            <>
              {group === "" ? null : <p>{known(group)}</p>}
              <ul aria-label={group === "" ? undefined : known(group)}>
                {sections.map(({ path, label }) => (
                  <li>
                    <a href={path} aria-current={path === section ? "page" : undefined}>
                      {known(label)}
                    </a>
                  </li>
                ))}
              </ul>
            </>
          ))}
        </nav>
      ) : null}
      <main id="content" tabindex={-1}>
        {frame.done === undefined ? null : (
          <p class="notice approved" role="status">
            {known(frame.done)}
          </p>
        )}
        <h1>{title}</h1>
        {lead === undefined ? null : <p class="lead">{lead}</p>}
        {frame.limits === undefined ? null : <p class="hint">{known(frame.limits)}</p>}
        {children}
      </main>
    </Document>
  );
}

interface LinkProps {
  readonly href: string;
  readonly "aria-label"?: string;
  readonly children?: Child;
}

/** A link to a form, shown only to people who may send it. */
export function ActLink(props: LinkProps & { readonly class?: string }) {
  return useFrame().refusalOf(props.href) === undefined ? <a {...props} /> : null;
}

/** The same as a button, as the page's main button, and as one that takes something away. */
export const ActButton = (props: LinkProps) => <ActLink class="button" {...props} />;
export const PrimaryButton = (props: LinkProps) => <ActLink class="button primary" {...props} />;
export const DangerButton = (props: LinkProps) => <ActLink class="button danger" {...props} />;

/** A link that looks like a button, for everybody. */
export const ButtonLink = (props: LinkProps) => <a class="button" {...props} />;

/** A part of a page, with a title. */
export function Panel({
  title,
  lead,
  isRenewed = false,
  isDangerous = false,
  children,
}: {
  readonly title: Child;
  readonly lead?: Child;
  /** Whether its actions take something away from somebody. */
  readonly isDangerous?: boolean;
  /** Whether it shows progress. If scripts run, the page then refreshes every few seconds. */
  readonly isRenewed?: boolean;
  readonly children?: Child;
}) {
  return (
    <section class={isDangerous ? "panel danger-zone" : "panel"} data-renewed={isRenewed ? "" : undefined}>
      <h2>{title}</h2>
      {lead === undefined ? null : <p class="lead">{lead}</p>}
      {children}
    </section>
  );
}

/** A table. On a phone, each row becomes a block with its headings. */
export function DataTable(props: {
  readonly caption: string;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly Child[])[];
  /** The text in place of an empty table. */
  readonly empty: string;
}) {
  const { rows } = props;
  if (rows.length === 0) return <p class="empty">{props.empty}</p>;
  const looks = props.headings.map((_, column) => (rows.every((row) => isNumber(row[column])) ? "number" : undefined));
  return (
    <div class="table" role="region" aria-label={props.caption} tabindex={0}>
      <table>
        <caption class="unseen">{props.caption}</caption>
        <thead>
          <tr>
            {props.headings.map((heading, column) => (
              <th scope="col" class={looks[column]}>
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {row.map((cell, column) => (
                <td data-heading={props.headings[column]} class={looks[column]}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function isNumber(cell: Child): boolean {
  return typeof cell === "number" || (typeof cell === "string" && /^[\d,.]+$/.test(cell));
}

/** A list of labels and values. */
export function Facts({ facts }: { readonly facts: readonly (readonly [label: string, value: Child])[] }) {
  return (
    <dl class="facts">
      {facts.map(([label, value]) => (
        <div>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A state in a word or two. The colour only repeats what the word says. */
export function Badge({
  tone,
  children,
}: {
  readonly tone: "good" | "warn" | "bad" | "off";
  readonly children?: Child;
}) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** How long ago a time was; `null` if it never happened. */
export function Moment({ at, never = t`never` }: { readonly at: number | null; readonly never?: string }) {
  if (at === null) return <span class="quiet">{never}</span>;
  const { now, locale } = useFrame();
  return <Ago at={at} now={now} language={locale.language} />;
}

/** A new secret, on the only page that ever shows it. */
export function SecretOnce({ label, secret }: { readonly label: string; readonly secret: string }) {
  return (
    <div class="secret">
      <label for="secret">{label}</label>
      <div>
        <input id="secret" readonly value={secret} autocomplete="off" spellcheck={false} />
        <button type="button" data-copy="secret" hidden>{t`Copy`}</button>
      </div>
      <p class="hint">{t`You see it only now: we store only a hash. Save it before you leave this page.`}</p>
    </div>
  );
}
