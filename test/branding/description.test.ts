import { servicesOf } from "#services.ts";
import { expect, it } from "vitest";
import { env } from "../support/isolate.ts";
import { makeInstance, send } from "../support/world.ts";

it("the description of the APIs has the organisation's name, even one like a placeholder, and its logo", async () => {
  const branded = await makeInstance("branded", { displayName: 'Acme "$&" & Co' });
  const info = async () => {
    const response = await send("http://branded.localhost/openapi.json");
    return (await response.json<{ info: Record<string, unknown> }>()).info;
  };
  expect((await info())["title"]).toBe('Acme "$&" & Co APIs');
  expect(await info()).not.toHaveProperty("x-logo");
  const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  await servicesOf(env).administrationOf(branded, "test").logos.put(png);
  expect((await info())["x-logo"]).toEqual({ url: expect.stringMatching(/^\/assets\/logo\?v=/) as string });
});
