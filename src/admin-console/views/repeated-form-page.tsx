import { t, useFrame } from "#pages/views/console-frame.ts";
import { ButtonLink, ConsoleLayout } from "#pages/views/console-layout.tsx";
import { sectionOf } from "#pages/views/console-sections.ts";

/** The response to a form that was already sent, or whose page was open for too long. */
export function RepeatedFormPage({ isTooOld }: { readonly isTooOld: boolean }) {
  return (
    <ConsoleLayout
      title={isTooOld ? t`This page was open for too long` : t`This form was already submitted`}
      lead={
        isTooOld
          ? t`Nothing was changed. Open it again and submit the form within an hour.`
          : t`It was not processed again. If it failed, check what it changed. If it created a secret that you didn’t save, replace the secret.`
      }
    >
      <p>
        <ButtonLink href={sectionOf(useFrame().path)}>{t`Show the current state`}</ButtonLink>
      </p>
    </ConsoleLayout>
  );
}
