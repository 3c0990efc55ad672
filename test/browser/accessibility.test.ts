import { beforeAll, describe, it } from "vitest";
import { authorizeUrl, openBrowser, registerApp, signIn } from "../support/node/browser-person.ts";
import { BROWSER_ORIGIN, REDIRECT_URI } from "../support/node/gatehouse.ts";
import { ANY_LOOK, expectUsable } from "../support/node/looks.ts";

let clientId: string;

beforeAll(async () => {
  clientId = await registerApp("Notebook", REDIRECT_URI);
});

describe("everybody can use", () => {
  it("the welcome page", async () => {
    await using person = await openBrowser(ANY_LOOK);
    await person.page.goto(BROWSER_ORIGIN);
    await expectUsable(person.page, "welcome");
  });

  it("the consent page", async () => {
    await using person = await openBrowser(ANY_LOOK);
    await signIn(person.page, authorizeUrl(clientId, REDIRECT_URI));
    await expectUsable(person.page, "consent");
  });

  it("an error page", async () => {
    await using person = await openBrowser(ANY_LOOK);
    await person.page.goto(authorizeUrl("nobody-knows-this-client", REDIRECT_URI));
    await expectUsable(person.page, "error");
  });
});
