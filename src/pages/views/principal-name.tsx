import type { Principal } from "#documents/engine.ts";

/** A person, group or datasource that permissions name, in words. */
export function PrincipalName({ principal: { kind, name, datasource } }: { readonly principal: Principal }) {
  switch (kind) {
    case "everyone":
      return <>Everyone</>;
    case "datasource":
      return <>Everyone in the datasource {datasource}</>;
    case "person":
      return (
        <>
          <bdi>{name}</bdi> by email
        </>
      );
    case "group":
      return (
        <>
          Group <bdi>{name}</bdi>
        </>
      );
    case "intersection":
    default:
      return (
        <>
          Members of all of <bdi>{(JSON.parse(name) as string[]).join(", ")}</bdi>
        </>
      );
  }
}
