import type { Brand } from "#instance/policy-snapshot.ts";
import { Layout, SupportLink } from "#pages/views/layout.tsx";

export interface ConsentPageProps {
  readonly service: string;
  readonly brand: Brand;
  readonly clientName: string;
  readonly clientUri: string | null;
  /** Who vouches for the app: an administrator made it, it registered itself, or its own site describes it. */
  readonly trust: "static" | "dynamic" | "document";
  /** The host whose document describes the app, where one does: its name is what that host says. */
  readonly publisher: string | null;
  /** The known host that the app really is, by its document or by where its answers go; never by its name. */
  readonly knownAs: string | undefined;
  readonly destination: string;
  readonly isLoopback: boolean;
  readonly person: { readonly name: string; readonly email: string };
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
 * Asks a person whether an app may act for them: who asks, for what, where the answer goes, and as whom they are signed in.
 *
 * What the app says of itself stands in `<bdi>`: a name that turns the direction of writing must not turn our words.
 */
export function ConsentPage(props: ConsentPageProps) {
  const isConnected = props.scopes.some(({ isHeld }) => isHeld) && props.scopes.some(({ isHeld }) => !isHeld);
  return (
    <Layout title={`Allow ${props.clientName}?`} service={props.service} brand={props.brand}>
      <h1>
        Allow <bdi>{props.clientName}</bdi> to use your work search?
      </h1>
      <Identity {...props} />
      <Person {...props.person} />
      <form method="post" action={props.action}>
        <input type="hidden" name="request" value={props.handle} />
        <input type="hidden" name="csrf_token" value={props.csrfToken} />
        <h2>
          It will be able to
          {props.scopes.some((scope) => scope.isOptional) ? (
            <span class="quiet"> – clear what you don’t want to allow</span>
          ) : null}
        </h2>
        {isConnected ? (
          <p>
            <bdi>{props.clientName}</bdi> already has access and asks for more. If you deny, it keeps its current
            access.
          </p>
        ) : null}
        <ul class="scopes">
          {props.scopes.map((scope) => (
            <ScopeItem {...scope} isNew={isConnected && !scope.isHeld} />
          ))}
        </ul>
        <Standing {...props} />
        <div class="actions">
          <button type="submit" name="decision" value="deny">
            Deny
          </button>
          <button type="submit" name="decision" value="allow" class="primary">
            Allow
          </button>
        </div>
        <p class="quiet afterwards">
          Access ends after {inWords(props.lifetimeSeconds)} at the latest. You can revoke access at any time in{" "}
          <a href="/account" target="_blank" rel="noreferrer noopener">
            your connected apps
          </a>
          .
          {props.brand.supportContact === undefined ? null : (
            <>
              {" "}
              Not sure? Ask <SupportLink contact={props.brand.supportContact} />.
            </>
          )}
        </p>
      </form>
    </Layout>
  );
}

/** Who really asks: hosts, which are proved, above all that the app says of itself. */
function Identity(props: ConsentPageProps) {
  return (
    <dl class="facts">
      {props.publisher === null ? null : (
        <div>
          <dt>Described by</dt>
          <dd>
            <bdi>{props.publisher}</bdi>
          </dd>
        </div>
      )}
      <div>
        <dt>Your response is sent to</dt>
        <dd>
          <bdi>{props.destination}</bdi>
          {props.isLoopback ? <span class="quiet"> on this device</span> : null}
        </dd>
      </div>
      {props.clientUri ? (
        <div>
          <dt>{props.trust === "static" ? "The app’s page" : "The app’s page, according to the app"}</dt>
          <dd>
            <a href={props.clientUri} target="_blank" rel="noreferrer noopener">
              <bdi>{props.clientUri}</bdi>
            </a>
          </dd>
        </div>
      ) : null}
    </dl>
  );
}

function Person({ name, email }: ConsentPageProps["person"]) {
  return (
    <p class="person">
      <span class="initials" aria-hidden="true">
        {initialsOf(name)}
      </span>
      <span>
        <span class="quiet">You are signed in as </span>
        <strong>{name}</strong>
        <span class="quiet email"> {email}</span>
      </span>
    </p>
  );
}

/** One scope in words; with a box where the app can do without it. */
function ScopeItem(item: ConsentPageProps["scopes"][number] & { readonly isNew: boolean }) {
  const { scope, title, detail, isOptional, isNew } = item;
  const words = (
    <span class="words">
      <strong>
        {title}
        {isNew ? <span class="quiet"> (new)</span> : null}
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

/** What the organisation knows of the app, and what a person should ask themselves before they allow. */
function Standing({ trust, knownAs, isLoopback, brand: { organisation } }: ConsentPageProps) {
  const isVerified = trust === "static";
  if (isVerified && !isLoopback) return <p class="notice approved">{`Approved by ${organisation}.`}</p>;
  const isKnown = !isVerified && knownAs !== undefined;
  return (
    <div class={isVerified ? "notice approved" : "notice"}>
      <p>
        {isVerified ? (
          `Approved by ${organisation}.`
        ) : isKnown ? (
          <>
            <strong>{`${knownAs}, known to ${organisation}.`}</strong> The address above is the one that its maker
            publishes. {organisation} has not approved it.
          </>
        ) : (
          <>
            <strong>Not verified.</strong>{" "}
            {trust === "dynamic" ? "This app registered itself." : "This app is described only by its own site."}{" "}
            {organisation} has not checked its name or who runs it.
          </>
        )}
      </p>
      {isLoopback ? <p>Allow only if you just started this yourself on this device.</p> : null}
    </div>
  );
}

/** One letter each of the first and the last word. */
function initialsOf(name: string): string {
  const letters = name.split(/\s+/).map((word) => Array.from(word)[0] ?? "");
  return [letters[0], letters.length > 1 ? letters.at(-1) : ""].join("").toUpperCase();
}

function inWords(seconds: number): string {
  const [size, unit] = seconds >= 172_800 ? [86_400, "days"] : seconds >= 7200 ? [3600, "hours"] : [60, "minutes"];
  return `${Math.ceil(seconds / size)} ${unit}`;
}
