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
    <Asking {...props} act="rotate" title="Give this token a new secret?" button="Make a new secret">
      <Switch
        name="end_old"
        label="End the old secret now"
        hint="Where it may be in wrong hands. Otherwise it works ten minutes more, so that nothing stops while you change it."
        state={{ values: {}, errors: {} }}
      />
    </Asking>
  );
}

/** Asks before a token ends. */
export function RevokeTokenPage(props: EndingPageProps) {
  return (
    <Asking {...props} act="revoke" title="Revoke this token?" button="Revoke the token">
      <p>
        Within 10 seconds whatever uses it is refused. It cannot be undone: a new token has another secret, which has to
        be put where this one is.
      </p>
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
          ["Ends by itself", <Moment at={token.expiresAt} />],
        ]}
      />
      {props.children}
    </AskingPage>
  );
}
