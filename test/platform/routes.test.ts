import { routes } from "#platform/routes.ts";
import { Hono } from "hono";
import { createFactory } from "hono/factory";
import { describe, expect, it } from "vitest";

interface Open {
  Variables: { instance: string };
}
interface SignedIn {
  Variables: { instance: string; person: string };
}
interface Posted {
  Variables: { instance: string; person: string; form: string };
}

const openHandler = createFactory<Open>().createHandlers((c) => c.text(c.var.instance));
const formHandler = createFactory<Posted>().createHandlers((c) => c.text(c.var.form));

describe("routes (typed registration of handlers)", () => {
  it("accept a handler that reads only variables that are set there", async () => {
    const router = new Hono<Posted>();
    router.use(async (c, next) => {
      c.set("instance", "acme");
      c.set("form", "sent");
      await next();
    });
    const own = routes<SignedIn, Posted>(router);
    own.get("/", ...openHandler);
    own.post("/", ...formHandler);
    expect(await (await router.request("/")).text()).toBe("acme");
    expect(await (await router.request("/", { method: "POST" })).text()).toBe("sent");
  });

  it("don't compile with a handler that reads other variables", () => {
    const own = routes<SignedIn, Posted>(new Hono());
    // @ts-expect-error a GET has no form
    own.get("/", ...formHandler);
    // @ts-expect-error nobody is signed in on an open route
    routes<Open>(new Hono()).post("/", ...formHandler);
  });
});
