import { readFileSync } from "node:fs";
import { CommandTokens } from "#admin-api/command-token.ts";
import { ADMIN_API_BASE } from "#admin-api/base.ts";
import { Keyring } from "#crypto/keyring.ts";
import { AdminApi, AdminApiRefused } from "./admin-api.ts";
import type { Input } from "./command.ts";
import type { AdminContext } from "./context.ts";
import { UsageError } from "./failures.ts";
import { errorIn, isLoopback, requireWorkerAddress, type WorkerAnswer } from "./worker-request.ts";

/** The variable that holds an admin token. */
const TOKEN_VARIABLE = "GATEHOUSE_TOKEN";

/**
 * Returns the Admin API of a running Worker, without opening a database. Requests carry the admin token from `--token-file` or
 * {@link TOKEN_VARIABLE}. If there is neither, they carry a token made from the master keys.
 *
 * @throws {UsageError} for an invalid address, or a token file that can't be read or is empty
 */
export function linkToApi({ placeOf, send }: Pick<AdminContext, "placeOf" | "send">, input: Input): AdminApi {
  const instance = input.word("instance");
  const url = input.option("url");
  const place = placeOf(input.flag("remote") || (url !== undefined && !isLoopback(url)));
  const address = requireWorkerAddress(url ?? place.address);
  const origin = address.replace("{instance}", instance).replace(/\/$/, "");
  const given = readToken(input.option("token-file"));
  return new AdminApi(instance, origin, async (method, path, body, version) => {
    const target = new URL(ADMIN_API_BASE + path, origin);
    const token = given ?? (await commandToken(place.masterKeys, instance, target));
    const request = { method, token, body: body === undefined ? undefined : JSON.stringify(body), version };
    const answer = await send(target, request).catch((error: unknown) => {
      throw new UsageError(
        `${origin} does not respond (${reasonOf(error)}): run npm start, or name another with --url`,
      );
    });
    if (answer.status >= 200 && answer.status < 300) {
      return { body: JSON.parse(answer.text) as unknown, version: answer.version };
    }
    throw refusedBy(answer, instance, origin, given !== undefined);
  });
}

function readToken(file: string | undefined): string | undefined {
  if (file === undefined) return process.env[TOKEN_VARIABLE] || undefined;
  let token = "";
  try {
    token = readFileSync(file, "utf8").trim();
  } catch {
    throw new UsageError(`${file} cannot be read (--token-file)`);
  }
  if (token === "") throw new UsageError(`${file} contains no token (--token-file)`);
  return token;
}

async function commandToken(
  masterKeys: string | undefined,
  instance: string,
  { origin, pathname }: URL,
): Promise<string> {
  if (masterKeys !== undefined) return new CommandTokens(new Keyring(masterKeys)).make(instance, origin, pathname);
  throw new UsageError(
    `There is no token and no master key: set ${TOKEN_VARIABLE} to an admin token, or MASTER_KEYS to the deployment's ` +
      "secret. Locally, npm start creates the keys in .dev.vars",
  );
}

function refusedBy({ status, text }: WorkerAnswer, instance: string, origin: string, isToken: boolean): Error {
  const { error, message, field } = errorIn(text);
  if (error === "unknown_host") {
    return new UsageError(
      `There is no instance ${instance} at ${origin}: "instance list" lists the local ones, "instance list --remote" the deployed ones`,
    );
  }
  if (status !== 401) return new AdminApiRefused(message, status, field);
  const advice = isToken
    ? "Check the admin token, and that it was issued by this instance"
    : "Check that MASTER_KEYS are the Worker's, and the clock of this machine";
  return new AdminApiRefused(`${origin} answered 401. ${advice}`, status);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = (error.cause ?? error) as { readonly code?: string };
  return code ?? error.message;
}
