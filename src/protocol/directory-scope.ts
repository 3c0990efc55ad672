/** A directory's name, in the scope of its token: `directory:okta`. */
const SCOPE = /^directory:([a-z0-9][a-z0-9-]{0,29})$/;

/** The directory that a scope names; `undefined` for any other word. */
export function parseDirectoryScope(word: string): string | undefined {
  return SCOPE.exec(word)?.[1];
}
