import { t } from "./console-frame.ts";
import type { Principal } from "#documents/engine.ts";

/** A person, group or datasource that permissions name, in words. */
export function PrincipalName({ principal: { kind, name, datasource } }: { readonly principal: Principal }) {
  switch (kind) {
    case "everyone":
      return t`Everyone`;
    case "datasource":
      return t`Everyone in the datasource ${datasource}`;
    case "person":
      return t`${<bdi>{name}</bdi>} by email`;
    case "group":
      return t`Group ${<bdi>{name}</bdi>}`;
    case "intersection":
    default:
      return t`Members of all of ${<bdi>{(JSON.parse(name) as string[]).join(", ")}</bdi>}`;
  }
}
