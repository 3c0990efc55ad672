import { CONSOLE_FORMS } from "#admin-console/console-paths-endpoint.ts";
import { SECTION_GROUPS } from "#pages/views/console-sections.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ConsoleBrowser, openConsole, originOf, setRole } from "../support/console-browser.ts";
import { env } from "../support/isolate.ts";
import { expectPage } from "../support/oauth-answers.ts";
import { routes } from "../support/routes.ts";
import { makeInstance, ORIGIN } from "../support/world.ts";

/** Every route of the console, from the router, so that a new route is tested automatically. */
const ROUTES = [
  ...new Set(
    routes()
      .filter(({ path }) => /^\/admin(\/|$)/.test(path))
      .map(({ method, path }) => `${method} ${path.replace(/:\w+(\{.*?\})?/g, "there-is-no-such-thing")}`),
  ),
].map((route) => route.split(" ") as [method: string, path: string]);

const FORM = { "Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin" };

let instance: InstanceRecord;
let otherInstance: InstanceRecord;

beforeAll(async () => {
  [instance, otherInstance] = [await makeInstance(), await makeInstance("other")];
});

/** Sends a request for a route as the browser's person; a form is sent with the session's CSRF token. */
async function ask(browser: ConsoleBrowser, method: string, path: string, csrfToken?: string): Promise<Response> {
  if (method === "GET") return browser.send(method, path);
  return browser.send(method, path, FORM, new URLSearchParams({ csrf_token: csrfToken ?? "none" }).toString());
}

function auditEntries() {
  const decisions = "SELECT count(*) AS entries FROM audit WHERE event NOT IN ('access_refused', 'request_refused')";
  return env.DB.prepare(decisions).first("entries");
}

/** Expects that nobody is signed in: a page redirects to the sign-in, and a form is refused. */
async function expectNobody(response: Response, method: string): Promise<void> {
  if (method !== "GET") return void (await expectPage(response, 403));
  expect(response.status).toBe(303);
  expect(response.headers.get("Location")).toMatch(/^\/sign-in\?to=%2Fadmin/);
}

describe("access to the console (ASVS 5.0 §8.2.1, §8.3.1)", () => {
  it("is tested with routes that the router has", () => {
    expect(ROUTES.map((route) => route.join(" "))).toEqual(
      expect.arrayContaining(["GET /admin/oauth", "POST /admin/oauth", "POST /admin/oauth/disable"]),
    );
  });

  it.each(ROUTES)("is refused without a session: %s %s", async (method, path) => {
    const before = await auditEntries();
    await expectNobody(await ask(new ConsoleBrowser(ORIGIN), method, path), method);
    expect(await auditEntries()).toBe(before);
  });

  describe("for a person without a role", () => {
    let ben: ConsoleBrowser;
    beforeAll(async () => {
      ben = await ConsoleBrowser.signIn("ben");
    });

    it.each(ROUTES)("is refused: %s %s", async (method, path) => {
      const before = await auditEntries();
      await expectPage(await ask(ben, method, path, await ben.csrfToken()), 403);
      expect(await auditEntries()).toBe(before);
    });
  });

  describe("for an administrator of another instance", () => {
    let elsewhere: ConsoleBrowser;
    let here: ConsoleBrowser;
    beforeAll(async () => {
      elsewhere = await openConsole(otherInstance);
      here = await ConsoleBrowser.signIn("ada");
    });

    it.each(ROUTES)("is refused with the other instance's session, as without one: %s %s", async (method, path) => {
      const before = await auditEntries();
      const token = await elsewhere.csrfToken();
      const smuggled = new ConsoleBrowser(ORIGIN, elsewhere.cookies);
      await expectNobody(await ask(smuggled, method, path, token), method);
      expect(await auditEntries()).toBe(before);
    });

    it.each(ROUTES)(
      "is refused with a session of this instance, as for anybody without a role: %s %s",
      async (method, path) => {
        const before = await auditEntries();
        await expectPage(await ask(here, method, path, await here.csrfToken()), 403);
        expect(await auditEntries()).toBe(before);
      },
    );

    it("is allowed at the other instance", async () => {
      expect(elsewhere.origin).toBe(originOf(otherInstance));
      expect((await elsewhere.get("/admin/oauth")).status).toBe(200);
    });
  });

  describe("for a lesser role", () => {
    const posted = ROUTES.filter(([method]) => method === "POST").map(([, path]) => path);

    it.each([
      ["auditor", /^\/admin\/token-test$/],
      ["app-manager", /^\/admin\/(token-test$|clients\/|registration\/|grants\/)/],
    ] as const)("as %s allows reading every page, and sending only the role's forms", async (role, allowed) => {
      await setRole(instance, "deniz@acme.example", role);
      const deniz = await ConsoleBrowser.signIn("deniz");
      const csrfToken = await deniz.csrfToken();
      const before = await auditEntries();
      for (const path of posted.filter((each) => !allowed.test(each))) {
        expect({ path, status: (await ask(deniz, "POST", path, csrfToken)).status }).toEqual({ path, status: 403 });
      }
      for (const path of posted.filter((each) => allowed.test(each))) {
        const { status } = await ask(deniz, "POST", path, csrfToken);
        expect({ path, isAnswered: [200, 303, 400, 404, 422].includes(status) }).toEqual({ path, isAnswered: true });
      }
      expect(await auditEntries()).toBe(before);
      for (const { path } of SECTION_GROUPS.flatMap(({ sections }) => [...sections])) {
        const page = await deniz.read(path);
        expect(page).toContain("Your role is");
        const links = [
          ...page.matchAll(
            /class="button (?:danger|primary)"[^>]*href="([^"]*)"|href="([^"]*)"[^>]*class="button (?:danger|primary)"/g,
          ),
        ];
        for (const [, one, other] of links) expect(one ?? other).toMatch(allowed);
        if (role === "app-manager" && path === "/admin/clients") expect(links.length).toBeGreaterThan(0);
      }
      await setRole(instance, "deniz@acme.example", null);
    });

    it("covers every form that decides something, by the act that it performs", () => {
      const forms = Object.keys(CONSOLE_FORMS).map(
        (path) => `/admin${path.replaceAll(/:\w+/g, "there-is-no-such-thing")}`,
      );
      expect([...forms, "/admin/token-test"].toSorted()).toEqual(posted.toSorted());
    });
  });

  describe("for an administrator", () => {
    let ada: ConsoleBrowser;
    beforeAll(async () => {
      ada = await openConsole(instance);
    });
    // One of the forms signs everybody out.
    beforeEach(async () => {
      if ((await ada.get("/account")).status !== 200) ada = await openConsole(instance);
    });

    // Pages come before forms, because even an empty form may take effect.
    const pagesFirst = [...ROUTES].sort(([left], [right]) => left.localeCompare(right));
    it.each(pagesFirst)("is allowed: %s %s", async (method, path) => {
      const { status } = await ask(ada, method, path, await ada.csrfToken());
      expect(status).not.toBe(401);
      expect(status).not.toBe(403);
      expect(status).toBeLessThan(500);
    });
  });
});
