import { type CommandTokens, SETUP_LIFETIME_SECONDS, SETUP_PATH } from "#admin-api/command-token.ts";
import { newFormId } from "#admin-console/form-id.ts";
import type { ConsoleServices } from "#admin-console/http.ts";
import { BY_HAND } from "#admin-console/issuers/preset-form.ts";
import { refusedForm, statusOf, typed } from "#admin-console/form-values.ts";
import { providerForm, readConnection, storedConnection } from "#admin-console/single-sign-on/connection-form.ts";
import { ChooseSsoPage, SingleSignOnPage } from "#admin-console/single-sign-on/views/single-sign-on-page.tsx";
import { actInstance } from "#administration/act-instance.ts";
import type { Administration } from "#administration/administration.ts";
import type { InstanceEnv } from "#instance/middleware.ts";
import { brandOf } from "#instance/policy-snapshot.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { PROVIDERS } from "#issuers/presets.ts";
import { ENGLISH_LOCALE } from "#messages/locale.ts";
import { renderWithin } from "#pages/views/console-frame.ts";
import { epochSeconds } from "#platform/clock.ts";
import type { Finding } from "#platform/finding.ts";
import type { FormState } from "#platform/described-members.ts";
import { createFactory } from "#platform/handlers.ts";
import { HostCookie, noStore, readForm, readQuery } from "#platform/http.ts";
import { requireWithinRate } from "#platform/rate-limit.ts";
import { requireSameOrigin } from "#platform/same-origin.ts";
import { ENDPOINTS } from "#protocol/endpoints.ts";
import type { Parameters } from "#protocol/parameters.ts";
import { OAuthError } from "#protocol/errors.ts";
import { signInPath } from "#session/session-middleware.tsx";
import { requireConnection } from "#single-sign-on/connection.ts";
import type { Context } from "hono";

interface SetupServices extends Pick<ConsoleServices, "connectionCheck" | "instances" | "sessions"> {
  readonly administrationOf: (instance: ReturnType<typeof actInstance>, actor: string) => Administration;
  readonly setupTokens: Pick<CommandTokens, "isValid">;
}

type SetupEnv = InstanceEnv<SetupServices>;

const http = createFactory<SetupEnv>();

/** The actor in the audit. */
const ACTOR = "setup-link";

const COOKIE = new HostCookie("setup", SETUP_LIFETIME_SECONDS);

/**
 * GET /setup: where the first administrator connects the SSO, before anybody can sign in. The link that leads here contains a token, which
 * moves to a cookie at once, so that no history or bookmark keeps it. Opening the link does not use it up: programs preview links.
 */
export const setupPage = http.createHandlers(noStore, async (c) => {
  const [token] = readQuery(c).all("token");
  const { secret } = await requireLink(c, token);
  if (token === undefined) return show(c, secret, storedConnection(undefined));
  COOKIE.write(c, c.var.instance.issuer, token);
  return c.redirect(SETUP_PATH, 303);
});

/**
 * POST /setup: tests the connection, and saves it if it works. That uses up every link: with a connection that lets nobody in, the
 * administrator could not change it here.
 */
export const connectFirst = http.createHandlers(noStore, async (c) => {
  const { instance, services } = c.var;
  requireSameOrigin(c, instance.issuer);
  const { secret, record } = await requireLink(c);
  const form = await readForm(c, "lines");
  await services.sessions.requireOwnForm(secret, form.all("csrf_token")[0]);
  try {
    const order = readConnection(form);
    requireConnection([], order);
    const steps = await services.connectionCheck.check(record, order, instance.issuer + ENDPOINTS.callback);
    if (steps.some(({ verdict }) => verdict === "failed")) {
      return show(c, secret, { values: typed(form), errors: {} }, { form, steps });
    }
    await services
      .administrationOf(actInstance(c), ACTOR)
      .singleSignOn.connect(order, async (current) => requireUnconnected(current));
  } catch (error) {
    return show(c, secret, refusedForm(form, error), { form });
  }
  COOKIE.clear(c, instance.issuer);
  return c.redirect(signInPath("/admin"), 303);
});

/**
 * Requires the link that `instance create` prints, of which there is one use: it works as long as no SSO is connected.
 *
 * @throws {OAuthError} `access_denied`, with how to get another link
 */
async function requireLink(
  c: Context<SetupEnv>,
  secret = COOKIE.read(c, c.var.instance.issuer) ?? "",
): Promise<{ secret: string; record: InstanceRecord }> {
  const { instance, services } = c.var;
  await requireWithinRate(c, "sign-in");
  const record = await services.instances.require(instance.policy.name);
  requireUnconnected(record);
  if (await services.setupTokens.isValid(secret, instance, SETUP_PATH)) return { secret, record };
  throw new OAuthError("access_denied", {
    reason: "setup_link_invalid",
    description:
      `This link has expired or is not complete. For another one, run npm run admin -- instance setup-link ${record.name}, ` +
      "with --remote for a deployed service",
  });
}

function requireUnconnected({ singleSignOns }: InstanceRecord): void {
  if (singleSignOns.length === 0) return;
  throw new OAuthError("access_denied", {
    reason: "setup_link_used",
    description:
      "The single sign-on is already connected, so no link works any more. Sign in to change it in the console",
  });
}

async function show(
  c: Context<SetupEnv>,
  secret: string,
  state: FormState,
  { form, steps }: { readonly form?: Parameters; readonly steps?: readonly Finding[] } = {},
): Promise<Response> {
  const { instance, services } = c.var;
  const { organisation, logo } = brandOf(instance.policy);
  const frame = {
    now: epochSeconds(),
    path: SETUP_PATH,
    locale: c.var.locale ?? ENGLISH_LOCALE,
    service: c.env.SERVICE_NAME,
    organisation,
    logo,
    person: { name: "", email: "", role: null },
    limits: undefined,
    done: undefined,
    csrfToken: await services.sessions.csrfToken(secret),
    newFormId,
    refusalOf: () => undefined,
  };
  const preset = form ? (form.one("preset") ?? BY_HAND) : readQuery(c).all("preset")[0];
  const page =
    preset === undefined ? (
      <ChooseSsoPage place="first" providers={PROVIDERS} />
    ) : (
      <SingleSignOnPage
        place="first"
        removal={undefined}
        {...providerForm(preset, state)}
        refused={[]}
        redirectUri={instance.issuer + ENDPOINTS.callback}
        connected={undefined}
        isSecretTyped={form !== undefined}
        steps={steps}
      />
    );
  return c.html(renderWithin(frame, page as { toString: () => string }), statusOf(state));
}
