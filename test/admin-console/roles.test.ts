import { CONSOLE_FORMS } from "#admin-console/console-paths-endpoint.ts";
import { SECTION_GROUPS } from "#pages/views/console-sections.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { beforeAll, describe, expect, it } from "vitest";
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

/** Expects something of the response to each route, and that none of these requests decided anything. */
async function expectOfEveryRoute(expectation: (method: string, path: string) => Promise<void>): Promise<void> {
  const before = await auditEntries();
  for (const [method, path] of ROUTES) {
    await expectation(method, path).catch((cause: unknown) => {
      throw new Error(`${method} ${path}: ${String(cause)}`, { cause });
    });
  }
  expect(await auditEntries()).toBe(before);
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

  it("is refused without a session", async () => {
    await expectOfEveryRoute(async (method, path) =>
      expectNobody(await ask(new ConsoleBrowser(ORIGIN), method, path), method),
    );
  });

  it("is refused for a person without a role", async () => {
    const ben = await ConsoleBrowser.signIn("ben");
    await expectOfEveryRoute(async (method, path) => {
      await expectPage(await ask(ben, method, path, await ben.csrfToken()), 403);
    });
  });

  describe("for an administrator of another instance", () => {
    let elsewhere: ConsoleBrowser;
    beforeAll(async () => {
      elsewhere = await openConsole(otherInstance);
    });

    it("is refused to another instance's administrator with its session, as without one", async () => {
      const token = await elsewhere.csrfToken();
      await expectOfEveryRoute(async (method, path) => {
        const smuggled = new ConsoleBrowser(ORIGIN, elsewhere.cookies);
        await expectNobody(await ask(smuggled, method, path, token), method);
      });
    });

    it("is refused to another instance's administrator with a session of this one, as for anybody without a role", async () => {
      const here = await ConsoleBrowser.signIn("ada");
      await expectOfEveryRoute(async (method, path) => {
        await expectPage(await ask(here, method, path, await here.csrfToken()), 403);
      });
    });

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

  it("is allowed for an administrator", async () => {
    let ada = await openConsole(instance);
    // Pages come before forms, because even an empty form may take effect.
    for (const [method, path] of [...ROUTES].sort(([left], [right]) => left.localeCompare(right))) {
      // One of the forms signs everybody out.
      if ((await ada.get("/account")).status !== 200) ada = await openConsole(instance);
      const { status } = await ask(ada, method, path, await ada.csrfToken());
      expect([method, path, status === 401 || status === 403 || status >= 500]).toEqual([method, path, false]);
    }
  });
});
