import { useFrame } from "#pages/views/console-frame.ts";
import { UNTYPED } from "#pages/untyped.ts";
import type { AppShown } from "#admin-console/clients/app-shown.ts";
import { ActLink, ConsoleLayout, Moment } from "#pages/views/console-layout.tsx";
import { SelectField } from "#pages/views/fields.tsx";
import { Form, SubmitRow } from "#pages/views/form.tsx";
import { AppState } from "#pages/views/app-state.tsx";
import { List, type ListView } from "#pages/views/list-view.tsx";

export interface AppsPageProps {
  readonly list: ListView;
  readonly apps: readonly AppShown[];
}

const DECIDE = "/admin/clients/decide";

/** All apps: created here, registered, or with a metadata document. */
export function AppsPage({ list, apps }: AppsPageProps) {
  const mayDecide = useFrame().refusalOf(DECIDE) === undefined;
  return (
    <ConsoleLayout
      title="Apps"
      lead={
        <>
          Every app that can ask people for access. Apps that registered themselves chose their own names; only their
          redirect URIs are verified. <a href="/admin/registration">Registration rules</a>
        </>
      }
    >
      <p class="toolbar">
        <ActLink class="button primary" href="/admin/clients/new">
          Create an app
        </ActLink>
      </p>
      <List
        list={list}
        caption="Apps"
        headings={[...(mayDecide ? ["Select"] : []), "App", "Returns to", "Permissions", "Added", "Last used", "State"]}
        rows={apps.map((app) => [
          ...(mayDecide ? [<Box app={app} />] : []),
          ...rowOf(app, (kind) => list.words?.filters?.["kind"]?.[1][kind]),
        ])}
      />
      {mayDecide && apps.length > 0 ? (
        <Form action={DECIDE} id="decide">
          <SelectField
            name="decision"
            label="Selected apps"
            options={[
              { value: "approve", label: "Approve" },
              { value: "disable", label: "Disable" },
              { value: "enable", label: "Enable" },
              { value: "delete", label: "Delete" },
            ]}
            state={UNTYPED}
          />
          <SubmitRow button="Continue" look={null} />
        </Form>
      ) : null}
    </ConsoleLayout>
  );
}

/** Selects an app. It sends the version that is shown, so that an app that has changed since then isn't approved. */
function Box({ app }: { readonly app: AppShown }) {
  return (
    <input
      type="checkbox"
      name="app"
      form="decide"
      value={`${app.changedAt} ${app.id}`}
      aria-label={`Select ${app.name}`}
    />
  );
}

function rowOf(app: AppShown, kindOf: (kind: AppShown["kind"]) => string | undefined) {
  return [
    <>
      <a href={app.path}>
        <bdi>{app.name}</bdi>
      </a>
      <span class="quiet">{kindOf(app.kind)}</span>
    </>,
    <bdi>{app.destinations}</bdi>,
    app.abilities,
    <Moment at={app.createdAt} />,
    <Moment at={app.lastUsedAt} />,
    <AppState app={app} />,
  ];
}
