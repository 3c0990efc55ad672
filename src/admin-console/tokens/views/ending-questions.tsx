import type { TokenShown } from "#admin-console/tokens/token-words.ts";
import { UNTYPED } from "#pages/untyped.ts";
import type { Question } from "#pages/views/asking-page.tsx";
import { Facts, Moment } from "#pages/views/console-layout.tsx";
import { Switch } from "#pages/views/fields.tsx";
import type { Child } from "hono/jsx";

/** Asks before a token gets a new secret. */
export function rotateTokenQuestion(token: TokenShown): Question {
  const endsOld = (
    <Switch
      name="end_old"
      label="End the old secret now"
      hint="If it may be compromised. Otherwise it works for ten more minutes, so that programs can change over."
      state={UNTYPED}
    />
  );
  return { ...about(token, endsOld), title: "Replace this token’s secret?" };
}

/** Asks before a token is revoked. */
export function revokeTokenQuestion(token: TokenShown): Question {
  const consequence = <p>Programs that use it are refused within 10 seconds. You can’t undo this.</p>;
  return { ...about(token, consequence), title: "Revoke this token?" };
}

function about({ name, abilities, personEmail, lastUsedAt, expiresAt }: TokenShown, below: Child) {
  const lead = (
    <>
      The token <bdi>{name}</bdi>.
    </>
  );
  const lastUsed =
    lastUsedAt === null ? (
      "never"
    ) : (
      <>
        in the hour of <Moment at={lastUsedAt} />
      </>
    );
  const facts = [
    ["May", abilities.join("; ")],
    ...(personEmail === null ? [] : [["As", personEmail] as const]),
    ["Last used", lastUsed],
    ["Expires", <Moment at={expiresAt} />],
  ] as const;
  const more = (
    <>
      <Facts facts={facts} />
      {below}
    </>
  );
  return { lead, more, back: "/admin/tokens" };
}
