import { ScriptedBrowser } from "../../scripts/local/scripted-browser.ts";
import { sendAnywhere } from "./world.ts";

/** Signs somebody in at the test SSO, in a new browser. @returns where the SSO sends the browser next */
export async function signInAtSso(ssoUrl: URL, sub: string): Promise<URL> {
  const callback = ssoUrl.searchParams.get("redirect_uri") ?? "";
  const browser = new ScriptedBrowser(callback, sendAnywhere);
  const picker = await browser.visit(ssoUrl.href);
  if ("leftFor" in picker) throw new Error("the SSO asked nobody");
  const answer = await browser.press(picker, { name: "sub", value: sub });
  if (!("leftFor" in answer)) throw new Error(answer.html);
  return new URL(answer.leftFor);
}
