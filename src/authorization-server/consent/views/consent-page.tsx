import type { Brand } from "#instance/policy-snapshot.ts";
import { type Locale, partsOf, textOf } from "#messages/locale.ts";
import { Layout, SupportLink } from "#pages/views/layout.tsx";
import { PostForm } from "#pages/views/post-form.tsx";

/** What each page says that asks a person about an app. */
export interface AskingProps {
  readonly brand: Brand;
  readonly locale: Locale;
  readonly clientName: string;
  readonly destination: string;
  readonly person: { readonly name: string; readonly email: string };
  /** The URL that repeats the request for another account; `undefined` if only the app can repeat it. */
  readonly switchUrl: string | undefined;
  /** The URL that the form is posted to. */
  readonly action: string;
  readonly handle: string;
  readonly csrfToken: string;
}

export interface ConsentPageProps extends AskingProps {
  readonly clientUri: string | null;
  /** The privacy policy and terms that the app names. */
  readonly policyUri: string | null;
  readonly tosUri: string | null;
  /** Who vouches for the app: an administrator created it, it registered itself, or its own site describes it. */
  readonly trust: "static" | "dynamic" | "document";
  /** Whether an administrator created it, or approved it as it is. */
  readonly isApproved: boolean;
  /** The host whose document describes the app, if there is one. The app's name is only what that host says. */
  readonly publisher: string | null;
  /** The known host that the app really is, by its document or its redirect URIs; never by its name. */
  readonly knownAs: string | undefined;
  readonly isLoopback: boolean;
  readonly scopes: readonly {
    readonly scope: string;
    readonly title: string;
    readonly detail: string;
    readonly isOptional: boolean;
    /** Whether the app already has it, from an earlier answer of this person. */
    readonly isHeld: boolean;
  }[];
  /** What the organisation lets it search, in words, if that is limited. */
  readonly content: string | undefined;
  /** The most seconds that the access lasts, if all requested scopes are granted. */
  readonly lifetimeSeconds: number;
}

/**
 * Asks a person whether an app may act for them: which app, for which scopes, where the response goes, and which account is signed in.
 *
 * Text from the app is in `<bdi>`, so that a name that changes the writing direction cannot change how our own words read.
 */
export function ConsentPage(props: ConsentPageProps) {
  const { locale } = props;
  const { messages } = locale;
  const app = <bdi>{props.clientName}</bdi>;
  const isConnected = props.scopes.some(({ isHeld }) => isHeld) && props.scopes.some(({ isHeld }) => !isHeld);
  return (
    <Layout title={textOf(locale, "consent_title", { app: props.clientName })} brand={props.brand} locale={locale}>
      <h1>{partsOf(locale, "consent_heading", { app })}</h1>
      <Identity {...props} />
      <Person {...props} />
      <PostForm action={props.action} csrfToken={props.csrfToken}>
        <input type="hidden" name="request" value={props.handle} />
        <h2>
          {messages.consent_abilities}{" "}
          {props.scopes.some((scope) => scope.isOptional) ? (
            <span class="quiet">{messages.consent_optional}</span>
          ) : null}
        </h2>
        {isConnected ? <p>{partsOf(locale, "consent_step_up", { app })}</p> : null}
        <ul class="scopes">
          {props.scopes.map((scope) => (
            <ScopeItem {...scope} mark={isConnected && !scope.isHeld ? messages.consent_new : undefined} />
          ))}
        </ul>
        {props.content === undefined ? null : (
          <p>
            <bdi>{props.content}</bdi>
          </p>
        )}
        <Standing {...props} />
        <div class="actions">
          <button type="submit" name="decision" value="deny">
            {messages.consent_deny}
          </button>
          <button type="submit" name="decision" value="allow" class="primary">
            {messages.consent_allow}
          </button>
        </div>
        <p class="quiet afterwards">
          {partsOf(locale, "consent_end", {
            time: inWords(locale, props.lifetimeSeconds),
            account: (
              <a href="/account" target="_blank" rel="noreferrer noopener">
                {messages.consent_account}
              </a>
            ),
          })}
          {props.brand.supportContact === undefined ? null : (
            <> {partsOf(locale, "consent_ask", { contact: <SupportLink contact={props.brand.supportContact} /> })}</>
          )}
        </p>
      </PostForm>
    </Layout>
  );
}

/** Shows who really asks. The hosts, which are proved, come above everything that the app says about itself. */
function Identity(props: ConsentPageProps) {
  const { messages } = props.locale;
  return (
    <dl class="facts">
      {props.publisher === null ? null : (
        <div>
          <dt>{messages.consent_described_by}</dt>
          <dd>
            <bdi>{props.publisher}</bdi>
          </dd>
        </div>
      )}
      <div>
        <dt>{messages.consent_destination}</dt>
        <dd>
          <bdi>{props.destination}</bdi>
          {props.isLoopback ? <span class="quiet"> {messages.consent_loopback}</span> : null}
        </dd>
      </div>
      {props.clientUri ? (
        <div>
          <dt>{props.trust === "static" ? messages.consent_page : messages.consent_page_claimed}</dt>
          <dd>
            <a href={props.clientUri} target="_blank" rel="noreferrer noopener">
              <bdi>{props.clientUri}</bdi>
            </a>
          </dd>
        </div>
      ) : null}
      <Policies {...props} />
    </dl>
  );
}

/** Links to the app's privacy policy and terms, each with its host, because the links may lead anywhere. */
function Policies({ locale, policyUri, tosUri }: ConsentPageProps) {
  const links = [
    ["consent_policy", policyUri],
    ["consent_terms", tosUri],
  ] as const;
  if (policyUri === null && tosUri === null) return null;
  return (
    <div>
      <dt>{locale.messages.consent_policies}</dt>
      {links.map(([key, uri]) =>
        uri === null ? null : (
          <dd>
            <a href={uri} target="_blank" rel="noreferrer noopener">
              {partsOf(locale, key, { host: <bdi>{new URL(uri).host}</bdi> })}
            </a>
          </dd>
        ),
      )}
    </div>
  );
}

/** Shows which account is signed in, and how to use another one. */
export function Person({
  locale: { messages },
  person: { name, email },
  switchUrl,
}: Pick<ConsentPageProps, "locale" | "person" | "switchUrl">) {
  return (
    <p class="person">
      <span class="initials" aria-hidden="true">
        {initialsOf(name)}
      </span>
      <span>
        <span class="quiet">{messages.consent_signed_in_as} </span>
        <strong>{name}</strong>
        <span class="quiet email"> {email}</span>
        {switchUrl === undefined ? null : <a href={switchUrl}>{messages.consent_switch}</a>}
      </span>
    </p>
  );
}

/** Shows a scope in words, with a checkbox if the app can do without it. */
function ScopeItem(item: ConsentPageProps["scopes"][number] & { readonly mark: string | undefined }) {
  const { scope, title, detail, isOptional, mark } = item;
  const words = (
    <span class="words">
      <strong>
        {title}
        {mark === undefined ? null : <span class="quiet"> {mark}</span>}
      </strong>
      <span>{detail}</span>
    </span>
  );
  if (isOptional) {
    return (
      <li>
        <label>
          <input type="checkbox" name="scope" value={scope} checked />
          {words}
        </label>
      </li>
    );
  }
  return (
    <li class="fixed">
      <input type="hidden" name="scope" value={scope} />
      {words}
    </li>
  );
}

/** Says what the organisation knows about the app, and what a person should check before they allow it. */
function Standing({ locale, trust, isApproved, knownAs, isLoopback, brand: { organisation } }: ConsentPageProps) {
  const { messages } = locale;
  const approved = textOf(locale, "consent_approved", { organisation });
  if (isApproved && !isLoopback) return <p class="notice approved">{approved}</p>;
  const isKnown = !isApproved && knownAs !== undefined;
  return (
    <div class={isApproved ? "notice approved" : "notice"}>
      <p>
        {isApproved ? (
          approved
        ) : isKnown ? (
          <>
            <strong>{textOf(locale, "consent_known", { name: knownAs })}</strong>{" "}
            {textOf(locale, "consent_known_detail", { organisation })}
          </>
        ) : (
          <>
            <strong>{messages.consent_unverified}</strong>{" "}
            {trust === "dynamic" ? messages.consent_registered_itself : messages.consent_described_itself}{" "}
            {textOf(locale, "consent_unchecked", { organisation })}
          </>
        )}
      </p>
      {isLoopback ? <p>{messages.consent_own_device}</p> : null}
    </div>
  );
}

/** Returns the first letters of the first and the last word. */
function initialsOf(name: string): string {
  const letters = name.split(/\s+/).map((word) => Array.from(word)[0] ?? "");
  return [letters[0], letters.length > 1 ? letters.at(-1) : ""].join("").toUpperCase();
}

function inWords(locale: Locale, seconds: number): string {
  const [size, unit] =
    seconds >= 172_800
      ? ([86_400, "consent_days"] as const)
      : seconds >= 7200
        ? ([3600, "consent_hours"] as const)
        : ([60, "consent_minutes"] as const);
  return textOf(locale, unit, { count: Math.ceil(seconds / size) });
}
