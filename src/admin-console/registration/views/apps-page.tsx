import type { AppShown } from "#admin-console/registration/app-shown.ts";
import { Badge, ConsoleLayout, type ConsoleFrame, DataTable, Moment } from "#pages/views/console-layout.tsx";
import { ListPages } from "#pages/views/list-pages.tsx";

export interface AppsPageProps {
  readonly frame: ConsoleFrame;
  readonly done: string | undefined;
  /** What the list was searched for. */
  readonly words: string;
  readonly apps: readonly AppShown[];
  readonly first: string;
  readonly next: string | undefined;
  readonly isFirst: boolean;
}

/** The apps that nobody vouches for. */
export function AppsPage({ frame, done, words, apps, first, next, isFirst }: AppsPageProps) {
  return (
    <ConsoleLayout
      frame={frame}
      section="/admin/registration"
      title="Registered apps"
      done={done}
      lead={
        <>
          Newest first. Apps choose their own names; only their redirect URIs are verified. Apps that nobody ever
          allowed are removed automatically. <a href="/admin/registration">The rules</a>
        </>
      }
    >
      <form method="get" action="/admin/registration/apps" class="toolbar" role="search">
        <div class="field">
          <label for="q">Name, address or client id</label>
          <input id="q" name="q" type="search" value={words} maxlength={200} autocomplete="off" spellcheck={false} />
        </div>
        <button type="submit">Search</button>
        {words === "" ? null : (
          <a class="button" href="/admin/registration/apps">
            Show all
          </a>
        )}
      </form>
      <DataTable
        caption="Registered apps"
        headings={["App", "Returns to", "May", "Since", "Last used", "State"]}
        rows={apps.map((app) => [
          <>
            <a href={app.path}>
              <bdi>{app.name}</bdi>
            </a>
            <span class="quiet">{app.kind === "document" ? "Metadata document" : "Registered itself"}</span>
          </>,
          <bdi>{app.destinations}</bdi>,
          app.abilities,
          <Moment at={app.createdAt} />,
          <Moment at={app.lastUsedAt} />,
          app.isDisabled ? <Badge tone="off">Blocked</Badge> : <Badge tone="good">Enabled</Badge>,
        ])}
        empty={words === "" ? "No apps." : "No matching apps."}
      />
      <ListPages first={first} isFirst={isFirst} next={next} />
    </ConsoleLayout>
  );
}
