import type { TokenExample } from "#admin-console/tokens/token-example.ts";
import { SecretOnce } from "#pages/views/console-layout.tsx";
import { known, t } from "#pages/views/console-frame.ts";
import { SecretLayout } from "#pages/views/secret-layout.tsx";

export interface TokenSecretPageProps {
  readonly token: { readonly name: string };
  readonly example: TokenExample;
  readonly secret: string;
  readonly title: string;
  /** What happens to the previous secret, if there was one. */
  readonly oldSecret?: string;
}

/** The only page that shows a token's secret. */
export function TokenSecretPage({ token, example, secret, title, oldSecret }: TokenSecretPageProps) {
  return (
    <SecretLayout
      title={known(title)}
      lead={oldSecret === undefined ? undefined : known(oldSecret)}
      name={token.name}
      next="/admin/tokens"
    >
      <SecretOnce label={t`Token`} secret={secret} />
      <h3>{t`How to use it`}</h3>
      <p class="hint">
        {t`Run ${<code>read -rs GATEHOUSE_TOKEN</code>} and paste the token, so that it doesn’t end up in your shell history. Then run this command.`}{" "}
        {example.hint === undefined ? null : `${known(example.hint)}.`}
      </p>
      <pre class="command" tabindex={0} aria-label={t`Command`}>
        {example.command}
      </pre>
    </SecretLayout>
  );
}
