import { writeFile } from "node:fs/promises";
import { it } from "vitest";
import { signInAt } from "../../test/support/node/browser-administrator.ts";
import { authorizeUrl, openBrowser, registerApp } from "../../test/support/node/browser-person.ts";
import { BROWSER_ORIGIN, REDIRECT_URI } from "../../test/support/node/gatehouse.ts";
import { animatedPng } from "./animated-png.ts";

const SIZE = { width: 860, height: 620 };
const SECONDS_EACH = 4;
const QUESTION = "How do I rotate the signing key?";

/** A step: what happens, and what the person sees. */
interface Step {
  readonly caption: string;
  /** Pictures, shown side by side. */
  readonly seen: readonly Buffer[];
  /** A command, shown instead of pictures. */
  readonly typed?: string;
}

/** Draws a step with its caption, as one picture. */
async function draw({ caption, seen, typed }: Step, at: number): Promise<Buffer> {
  await using person = await openBrowser({ viewport: SIZE });
  const pictures = seen.map((picture) => `<img src="data:image/png;base64,${picture.toString("base64")}">`).join("");
  // The browser is reused: the content security policy of its previous page would block these pictures.
  await person.page.goto("about:blank");
  await person.page.setContent(`<style>
    body { margin: 0; height: 100vh; display: grid; grid-template-rows: 1fr auto; font: 18px system-ui; background: #eef1f6; }
    main { display: flex; min-height: 0; overflow: hidden; gap: 2px; }
    img { flex: 1; min-width: 0; height: 100%; object-fit: contain; object-position: top; }
    pre { margin: auto; padding: 1.2rem 1.5rem; border-radius: .7rem; background: #10151d; color: #dfe6f0; font: 15px monospace; }
    p { margin: 0; padding: .9rem 1.2rem; background: #10151d; color: #fff; }
  </style><main>${typed === undefined ? pictures : `<pre>$ ${typed}</pre>`}</main><p><b>${at + 1}</b>&ensp;${caption}</p>`);
  await person.page.evaluate("Promise.all([...document.images].map((image) => image.decode()))");
  return await person.page.screenshot();
}

/** Takes a screenshot of what a person finds, half as wide, to be shown next to another person's. */
async function searchedBy(name: string): Promise<Buffer> {
  await using person = await openBrowser({ viewport: { width: SIZE.width / 2, height: 560 } });
  await signInAt(person.page, BROWSER_ORIGIN, "/search", name);
  await person.page.goto(`${BROWSER_ORIGIN}/search?q=${encodeURIComponent(QUESTION)}`);
  await person.page.getByRole("status").waitFor();
  return await person.page.screenshot();
}

it("records the way from a URL to two people's answers", async () => {
  const url = authorizeUrl(await registerApp("Claude Code", REDIRECT_URI), REDIRECT_URI);
  await using ben = await openBrowser({ viewport: { width: SIZE.width, height: 566 } });
  const { page } = ben;
  await page.goto(url);
  const picker = page.getByRole("button", { name: "Ben Okafor" });
  await picker.waitFor();
  const signIn = await page.screenshot();
  await picker.click();
  await page.waitForURL(/\/oauth\/consent\?/);
  const consent = await page.screenshot({ fullPage: true });
  const both = [await searchedBy("Ben Okafor"), await searchedBy("Carla Reyes")];
  const steps: Step[] = [
    {
      caption: "Add one URL to your assistant or editor",
      seen: [],
      typed: "claude mcp add --transport http acme https://acme-be.example.com/mcp",
    },
    { caption: "Sign in with your organisation’s single sign-on", seen: [signIn] },
    { caption: "Read what the app may do, and allow it", seen: [consent] },
    { caption: "Search: two people ask the same question, and each finds only what they may see", seen: both },
  ];
  const pictures: Buffer[] = [];
  for (const [at, step] of steps.entries()) pictures.push(await draw(step, at));
  await writeFile("docs/images/walkthrough.png", animatedPng(pictures, SECONDS_EACH));
});
