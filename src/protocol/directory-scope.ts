/** The scope of a directory's token, which contains the directory's name: `directory:okta`. */
const SCOPE = /^directory:([a-z0-9][a-z0-9-]{0,29})$/;

/** Returns the directory that a scope names; `undefined` for any other word. */
export function parseDirectoryScope(word: string): string | undefined {
  return SCOPE.exec(word)?.[1];
}
