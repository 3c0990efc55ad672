import { t } from "#pages/views/console-frame.ts";
import { counted } from "#messages/catalogue.ts";

/** How many grants an app has, with a link to them. */
export function InUse(props: {
  readonly clientId: string;
  readonly reach: { readonly people: number; readonly grants: number };
}) {
  const { clientId, reach } = props;
  const text = t`${counted(reach.grants, "grant")} of ${counted(reach.people, "person", "people")}`;
  if (reach.grants === 0) return <>{text}</>;
  return <a href={`/admin/grants?${new URLSearchParams({ client: clientId }).toString()}`}>{text}</a>;
}
