import { UsageError } from "../failures.ts";

/** Reads a secret: returns the value of an environment variable. */
export type SecretOf = (variable: string) => string | undefined;

/**
 * The names of variables that a file may choose. Whoever writes the file also chooses the server that gets the value, and must not
 * send it the master keys, or any other secret of whoever applies the file.
 */
const OF_FILES = /^GATEHOUSE_SECRET_[A-Z0-9_]{1,100}$/;

/** A secret that a file needs but never contains, and the line of the plan that says where it comes from. */
interface NamedSecret {
  readonly secret: string;
  readonly line: string;
}

/**
 * Returns a secret that a file needs but never contains.
 *
 * @param member the member of the file that names the environment variable
 * @throws {UsageError} if the file names none or another variable, or the variable is empty
 */
export function requireSecret(member: string, variable: unknown, secretOf: SecretOf): NamedSecret {
  if (typeof variable !== "string") {
    throw new UsageError(`${member} must name the environment variable that holds the secret`);
  }
  if (!OF_FILES.test(variable)) {
    throw new UsageError(
      `${member} can't name ${variable}: a file can only name variables that begin with GATEHOUSE_SECRET_, in capital letters`,
    );
  }
  const secret = secretOf(variable);
  if (!secret) throw new UsageError(`The environment variable ${variable} is empty: ${member} names it for a secret`);
  return { secret, line: `${member}: the secret is read from the environment variable ${variable}` };
}
