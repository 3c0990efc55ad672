import type { IncomingMessage, ServerResponse } from "node:http";
import type { Interaction, Provider } from "oidc-provider";
import type { Person } from "./people.ts";
import { errorPage, pickerPage } from "./sso-pages.ts";

/** The form has one short field; anything longer is not this form. */
const FORM_BYTES_MAX = 4096;

const ROUTE = /^\/interaction\/(?<uid>[\w-]+)(?:\/(?<action>login|cancel))?$/;

/**
 * Serves the pages on which a person chooses who they are:
 *
 * - `GET  /interaction/:uid` shows the picker,
 * - `POST /interaction/:uid/login` with the form field `sub` signs that person in,
 * - `POST /interaction/:uid/cancel` sends the browser back with `access_denied`.
 *
 * @returns whether the request was one of these. All others are for the provider.
 */
export async function servePicker(
  provider: Provider,
  people: readonly Person[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const route = ROUTE.exec(new URL(request.url ?? "/", "http://localhost").pathname);
  if (!route) return false;

  const interaction = await provider.interactionDetails(request, response).catch(() => undefined);
  const step = `${request.method} ${route.groups?.action ?? "picker"}`;
  if (interaction === undefined || interaction.uid !== route.groups?.uid) {
    const text = "It was already completed, or has expired. Start again from the application that sent you here.";
    sendPage(response, 400, await errorPage("This sign-in is over", text));
  } else if (step === "GET picker") {
    sendPage(response, 200, await pickerPage(interaction, people));
  } else if (step === "POST cancel") {
    const result = { error: "access_denied", error_description: "The person cancelled the sign-in." };
    redirect(response, await provider.interactionResult(request, response, result));
  } else if (step === "POST login") {
    const sub = (await readForm(request)).get("sub");
    const person = people.find((candidate) => candidate.sub === sub);
    if (person === undefined) {
      sendPage(response, 400, await errorPage("No such person", "Go back and choose one of the people listed."));
    } else {
      const acr = interaction.params["acr_values"];
      const result = {
        login: { accountId: person.sub, ...(acr === undefined ? {} : { acr }) },
        select_account: {},
        consent: {},
      };
      const resumeUrl = await provider.interactionResult(request, response, result);
      await forgetAnybodyElse(provider, interaction, person);
      redirect(response, resumeUrl);
    }
  } else {
    sendPage(response, 405, await errorPage("Method not allowed", "This address only accepts the form of this page."));
  }
  return true;
}

/**
 * Empties the browser's session if another person takes it over. Otherwise the provider would insert its own sign-out page, which
 * needs JavaScript and another click.
 */
async function forgetAnybodyElse(provider: Provider, interaction: Interaction, person: Person): Promise<void> {
  if (interaction.session === undefined || interaction.session.accountId === person.sub) return;
  const session = await provider.Session.findByUid(interaction.session.uid);
  if (session === undefined) return;
  session.accountId = undefined;
  session.authorizations = undefined;
  await session.persist();
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > FORM_BYTES_MAX) throw new Error("The form is too large.");
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString("utf8"));
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { Location: location, "Cache-Control": "no-store" }).end();
}

/**
 * Sends a page. The policy has no `form-action`, because browsers also apply it to the redirect that follows the form, which
 * leads back to the application that sent the person here.
 */
export function sendPage(response: ServerResponse, status: number, page: string): void {
  response.writeHead(status, {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
  });
  response.end(page);
}
