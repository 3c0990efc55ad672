import { brandOf } from "#instance/policy-snapshot.ts";
import { ENGLISH_LOCALE } from "#messages/locale.ts";
import type { Parameters } from "#protocol/parameters.ts";
import { createMiddleware } from "#platform/handlers.ts";
import type { OwnFormEnv } from "./session-middleware.ts";
import type { SessionSignIn } from "./session-sign-in.ts";
import { HELD_CHARACTERS_MAX, type HeldForm, pageOf, type SteppedUpForm } from "./step-up.ts";
import { StepUpPage } from "./views/session-pages.tsx";

/**
 * Lets a form pass if its sender authenticated in the last minutes. Otherwise, asks them to sign in again, and then shows the form
 * again, so that somebody who uses an unattended or stolen session can't do anything permanent (ASVS 5.0 §7.5.3). Must come after
 * `ownForm`.
 *
 * @param formAt returns the form at a path, if it needs a fresh sign-in
 */
export function afterStepUp(formAt: (path: string) => SteppedUpForm | undefined) {
  return createMiddleware<OwnFormEnv<{ readonly sessionSignIn: SessionSignIn }>>(async (c, next) => {
    const { form, instance, services, session } = c.var;
    if (c.req.method !== "POST" || !instance.policy.settings.stepUp || session.isFresh) return next();
    const steppedUp = formAt(c.req.path);
    if (steppedUp === undefined || steppedUp.when?.(form) === false) return next();
    const { act } = steppedUp;
    const { pathname, search } = new URL(c.req.url);
    const address = pathname + search;
    const { locale = ENGLISH_LOCALE } = c.var;
    const said = typeof act === "string" ? locale.known(act) : locale.messages[act.message];
    const held = heldForm(said, form, address);
    const returnTo = held === null ? pathname : address;
    return c.html(
      <StepUpPage
        brand={brandOf(instance.policy)}
        locale={locale}
        act={said}
        back={pageOf(pathname)}
        signInUrl={await services.sessionSignIn.beginStepUp(instance, session, returnTo, held)}
        keepsForm={held !== null}
      />,
      403,
    );
  });
}

/**
 * Returns the form to keep; `null` if it is too long, or contains a secret, which no page shows and which has to be typed again.
 */
function heldForm(act: string, form: Parameters, address: string): HeldForm | null {
  const fields: Record<string, readonly string[]> = {};
  for (const name of form.names()) {
    if (name === "csrf_token" || form.all(name).length === 0) continue;
    if (/secret/i.test(name)) return null;
    fields[name] = form.all(name);
  }
  const held = { act, fields };
  return address.length + JSON.stringify(held).length > HELD_CHARACTERS_MAX ? null : held;
}
