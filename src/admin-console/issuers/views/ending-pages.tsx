import { AskingPage } from "#pages/views/asking-page.tsx";
import type { ConsoleFrame } from "#pages/views/console-layout.tsx";
import { counted } from "#pages/views/count.ts";
import type { Child } from "hono/jsx";
import type { IssuerShown } from "./issuers-page.tsx";

interface EndingPageProps {
  readonly frame: ConsoleFrame;
  readonly issuer: IssuerShown;
}

/** Asks before a provider is disabled. */
export function DisableIssuerPage({ frame, issuer }: EndingPageProps) {
  return (
    <Asking frame={frame} issuer={issuer} act="disable" title={`Disable ${issuer.name}?`} button="Disable">
      <li>Its configuration is kept. If you enable it again, tokens that haven’t expired work again.</li>
    </Asking>
  );
}

/** Asks before a provider is removed. */
export function RemoveIssuerPage({ frame, issuer }: EndingPageProps) {
  return (
    <Asking frame={frame} issuer={issuer} act="remove" title={`Remove ${issuer.name}?`} button="Remove">
      <li>Its configuration is removed; the audit log keeps a record of it.</li>
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
  const { frame, issuer, title, button } = props;
  return (
    <AskingPage
      {...{ frame, title, button }}
      section="/admin/issuers"
      action={`/admin/issuers/${props.act}`}
      fields={{ issuer: issuer.issuer }}
      back={`/admin/issuers/issuer?${issuer.query}`}
    >
      <ul>
        <li>
          {issuer.isDisabled
            ? `Nothing changes for ${counted(issuer.clients, "application")}: the provider is disabled already.`
            : `Within 10 seconds the tokens that ${counted(issuer.clients, "application")} got from ${issuer.issuer} are refused.`}
        </li>
        {props.children}
        <li>People who were created through it stay, and see the same documents. Sign-in is not affected.</li>
      </ul>
    </AskingPage>
  );
}
