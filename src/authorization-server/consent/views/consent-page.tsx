import type { Brand } from "#instance/policy-snapshot.ts";
import { type Locale, partsOf, textOf } from "#messages/locale.ts";
import { Layout, SupportLink } from "#pages/views/layout.tsx";
import { PostForm } from "#pages/views/post-form.tsx";

export interface ConsentPageProps {
  readonly service: string;
  readonly brand: Brand;
  readonly locale: Locale;
  readonly clientName: string;
  readonly clientUri: string | null;
  /** Its privacy policy and terms, according to the app. */
  readonly policyUri: string | null;
  readonly tosUri: string | null;
  /** Who vouches for the app: an administrator made it, it registered itself, or its own site describes it. */
  readonly trust: "static" | "dynamic" | "document";
  /** The host whose document describes the app, where one does: its name is what that host says. */
  readonly publisher: string | null;
  /** The known host that the app really is, by its document or by where its answers go; never by its name. */
  readonly knownAs: string | undefined;
  readonly destination: string;
  readonly isLoopback: boolean;
  readonly person: { readonly name: string; readonly email: string };
  /** Repeats the request for another account; `undefined` where only the app can. */
  readonly switchUrl: string | undefined;
  readonly scopes: readonly {
    readonly scope: string;
    readonly title: string;
    readonly detail: string;
    readonly isOptional: boolean;
    /** Whether the app has it already, by an earlier answer of this person. */
    readonly isHeld: boolean;
  }[];
  /** How long the access lasts at most, as it is asked for. */
  readonly lifetimeSeconds: number;
  /** Where the answer goes. */
  readonly action: string;
  readonly handle: string;
  readonly csrfToken: string;
}

/**
 * Asks a person whether an app may act for them: who asks, for what, where the answer goes, and which account is signed in.
 *
 * What the app says of itself stands in `<bdi>`: a name that turns the direction of writing must not turn our words.
 */
export function ConsentPage(props: ConsentPageProps) {
  const { locale } = props;
  const { messages } = locale;
  const app = <bdi>{props.clientName}</bdi>;
  const isConnected = props.scopes.some(({ isHeld }) => isHeld) && props.scopes.some(({ isHeld }) => !isHeld);
  return (
    <Layout
      title={textOf(locale, "consent_title", { app: props.clientName })}
      service={props.service}
      brand={props.brand}
      locale={locale}
    >
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

/** Who really asks: hosts, which are proved, above all that the app says of itself. */
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

/** The app's privacy policy and terms, each link with its host, because it may lead anywhere. */
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

/** Which account is signed in, and how to take another. */
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

/** One scope in words; with a box where the app can do without it. */
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

/** What the organisation knows of the app, and what a person should check before they allow. */
function Standing({ locale, trust, knownAs, isLoopback, brand: { organisation } }: ConsentPageProps) {
  const { messages } = locale;
  const approved = textOf(locale, "consent_approved", { organisation });
  const isVerified = trust === "static";
  if (isVerified && !isLoopback) return <p class="notice approved">{approved}</p>;
  const isKnown = !isVerified && knownAs !== undefined;
  return (
    <div class={isVerified ? "notice approved" : "notice"}>
      <p>
        {isVerified ? (
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

/** One letter each of the first and the last word. */
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
