import type { AppShown } from "#admin-console/clients/app-shown.ts";
import { ConsoleLayout, Moment, PrimaryButton } from "#pages/views/console-layout.tsx";
import { AppState } from "#pages/views/app-state.tsx";
import { counted } from "#messages/catalogue.ts";
import { known, knownList, t } from "#pages/views/console-frame.ts";
import { List, type ListView } from "#pages/views/list-view.tsx";

export interface AppsPageProps {
  readonly list: ListView;
  readonly apps: readonly (AppShown & { readonly people: number })[];
}

/** All apps: created here, registered, or with a metadata document. */
export function AppsPage({ list, apps }: AppsPageProps) {
  return (
    <ConsoleLayout
      title={t`Apps`}
      lead={t`Every app that can ask people for access. Apps that registered themselves chose their own names; only their redirect URIs are verified. ${<a href="/admin/registration">{t`Registration rules`}</a>}`}
    >
      <p class="toolbar">
        <PrimaryButton href="/admin/clients/new">{t`Create an app`}</PrimaryButton>
      </p>
      <List
        list={list}
        caption={t`Apps`}
        headings={[t`App`, t`Returns to`, t`Permissions`, t`In use`, t`Added`, t`Last used`, t`State`]}
        rows={apps.map((app) => rowOf(app, (kind) => list.words?.filters?.["kind"]?.[1][kind]))}
      />
    </ConsoleLayout>
  );
}

function rowOf(app: AppsPageProps["apps"][number], kindOf: (kind: AppShown["kind"]) => string | undefined) {
  return [
    <>
      <a href={app.path}>
        <bdi>{app.name}</bdi>
      </a>
      <span class="quiet">{known(kindOf(app.kind) ?? "")}</span>
    </>,
    <bdi>{app.destinations}</bdi>,
    knownList(app.abilities),
    <>
      {t`${counted(app.people, "person", "people")}`}
      {app.installs > 1 ? <span class="quiet">{t`${counted(app.installs, "install")}`}</span> : null}
    </>,
    <Moment at={app.createdAt} />,
    <Moment at={app.lastUsedAt} />,
    <AppState app={app} />,
  ];
}
