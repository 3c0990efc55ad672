import { Moment } from "./console-layout.tsx";

interface AppRequest {
  readonly email: string;
  readonly purpose: string;
  readonly askedAt: number;
}

/** Who asked for an app, when and why. */
export function Requests({ of: { requests } }: { readonly of: { readonly requests: readonly AppRequest[] } }) {
  return (
    <>
      {requests.map(({ email, purpose, askedAt }) => (
        <p>
          <bdi>{email}</bdi>, <Moment at={askedAt} />
          {purpose === "" ? null : (
            <>
              : “<bdi>{purpose}</bdi>”
            </>
          )}
        </p>
      ))}
    </>
  );
}
