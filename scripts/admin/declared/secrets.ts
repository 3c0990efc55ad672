import { UsageError } from "../failures.ts";

/** Reads a secret: returns the value of an environment variable. */
export type SecretOf = (variable: string) => string | undefined;

/**
 * Returns a secret that a file needs but never contains.
 *
 * @param member the member of the file that names the environment variable
 * @throws {UsageError} if the file names none, or the variable is empty
 */
export function requireSecret(member: string, variable: unknown, secretOf: SecretOf): string {
  const secret = typeof variable === "string" ? secretOf(variable) : undefined;
  if (secret) return secret;
  throw new UsageError(
    typeof variable === "string"
      ? `The environment variable ${variable} is empty: ${member} names it for a secret`
      : `${member} must name the environment variable that holds the secret`,
  );
}
