import { UNTYPED } from "#pages/untyped.ts";
import type { TokenShown } from "#admin-console/tokens/token-words.ts";
import { AskingPage } from "#pages/views/asking-page.tsx";
import { type ConsoleFrame, Facts, Moment } from "#pages/views/console-layout.tsx";
import { Switch } from "#pages/views/fields.tsx";
import type { Child } from "hono/jsx";

interface EndingPageProps {
  readonly frame: ConsoleFrame;
  readonly token: TokenShown;
}

/** Asks before a token gets a new secret. */
export function RotateTokenPage(props: EndingPageProps) {
  return (
    <Asking {...props} act="rotate" title="Replace this token’s secret?" button="Replace the secret">
      <Switch
        name="end_old"
        label="End the old secret now"
        hint="If it may be compromised. Otherwise it works for ten more minutes, so that programs can change over."
        state={UNTYPED}
      />
    </Asking>
  );
}

/** Asks before a token is revoked. */
export function RevokeTokenPage(props: EndingPageProps) {
  return (
    <Asking {...props} act="revoke" title="Revoke this token?" button="Revoke the token">
      <p>Programs that use it are refused within 10 seconds. You can’t undo this.</p>
    </Asking>
  );
}

function Asking(
  props: EndingPageProps & {
    readonly act: string;
    readonly title: string;
    readonly button: string;
    readonly children?: Child;
  },
) {
  const { frame, token, title, button } = props;
  const lead = (
    <>
      The token <bdi>{token.name}</bdi>.
    </>
  );
  const lastUsed =
    token.lastUsedAt === null ? (
      "never"
    ) : (
      <>
        in the hour of <Moment at={token.lastUsedAt} />
      </>
    );
  return (
    <AskingPage
      {...{ frame, title, lead, button }}
      section="/admin/tokens"
      action={`/admin/tokens/${token.id}/${props.act}`}
      back="/admin/tokens"
    >
      <Facts
        facts={[
          ["May", token.abilities.join("; ")],
          ...(token.personEmail === null ? [] : [["As", token.personEmail] as const]),
          ["Last used", lastUsed],
          ["Expires", <Moment at={token.expiresAt} />],
        ]}
      />
      {props.children}
    </AskingPage>
  );
}
