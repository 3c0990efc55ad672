import type { AccessRule, GroupSource } from "#documents/find/access/access.ts";
import { PrincipalName } from "#pages/views/principal-name.tsx";
import { t } from "#pages/views/console-frame.ts";
import { Badge } from "#pages/views/console-layout.tsx";

/** Returns the cells of a rule: who may see the document because of it, whether that includes the person, and why. */
export function cellsOf({ rule, email }: { readonly rule: AccessRule; readonly email: string }) {
  const { principal, isHeld } = rule;
  return [
    <PrincipalName principal={principal} />,
    isHeld ? <Badge tone="good">{t`Yes`}</Badge> : <Badge tone="off">{t`No`}</Badge>,
    <Why rule={rule} email={email} />,
  ];
}

function Why({ rule: { principal, isHeld, groups }, email }: { readonly rule: AccessRule; readonly email: string }) {
  if (groups.length > 0) {
    return (
      <>
        {groups.map(({ name, source }) => (
          <div>
            {source === null ? (
              t`Not a member of ${<bdi>{name}</bdi>}`
            ) : (
              <Way source={source} datasource={principal.datasource} />
            )}
          </div>
        ))}
      </>
    );
  }
  if (principal.kind === "everyone") return t`Everyone may see it`;
  if (principal.kind === "person") return <>{isHeld ? t`It names ${email}` : t`Another person`}</>;
  return <>{isHeld ? t`It has an active user ${email}` : t`It has no active user ${email}`}</>;
}

/** How a person is a member of a group: as which user or email address, and through which other groups. */
export function Way({
  source: { by, member, path },
  datasource,
}: {
  readonly source: GroupSource;
  readonly datasource: string;
}) {
  const groups = by === "directory" && path[0] !== member ? [member, ...path] : path;
  return (
    <>
      {by === "directory"
        ? t`Directory group`
        : by === "user"
          ? t`User ${member} of ${datasource}`
          : t`Email in ${datasource}`}
      {groups.map((name) => (
        <>
          {" → "}
          <bdi>{name}</bdi>
        </>
      ))}
    </>
  );
}
