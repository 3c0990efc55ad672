import { AskingPage } from "#pages/views/asking-page.tsx";
import type { ConsoleFrame } from "#pages/views/console-layout.tsx";
import { counted } from "#pages/views/count.ts";
import type { Child } from "hono/jsx";
import type { IssuerShown } from "./issuers-page.tsx";

interface EndingPageProps {
  readonly frame: ConsoleFrame;
  readonly issuer: IssuerShown;
}

/** Asks before a provider's tokens are refused. */
export function DisableIssuerPage({ frame, issuer }: EndingPageProps) {
  return (
    <Asking frame={frame} issuer={issuer} act="disable" title={`Disable ${issuer.name}?`} button="Disable">
      <li>What is set stays: enabled again, tokens that have not expired work again.</li>
    </Asking>
  );
}

/** Asks before a provider is forgotten. */
export function RemoveIssuerPage({ frame, issuer }: EndingPageProps) {
  return (
    <Asking frame={frame} issuer={issuer} act="remove" title={`Remove ${issuer.name}?`} button="Remove">
      <li>What is set about it is gone; the audit log keeps what it was.</li>
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
      sends={{ name: "issuer", value: issuer.issuer }}
      back={`/admin/issuers/issuer?${issuer.query}`}
    >
      <ul>
        <li>
          {issuer.isDisabled
            ? `Nothing changes for ${counted(issuer.clients, "application")}: the provider is disabled already.`
            : `Within 10 seconds the tokens that ${counted(issuer.clients, "application")} got from ${issuer.issuer} are refused.`}
        </li>
        {props.children}
        <li>People who came by it stay, with what they may see. Signing in here is not touched.</li>
      </ul>
    </AskingPage>
  );
}
