import { auth } from "@modelcontextprotocol/client";
import { RememberingHost } from "../../../scripts/demo/remembering-host.ts";
import { answerConsent, REDIRECT_URI } from "./gatehouse.ts";

/** An MCP host whose person always allows it. */
export class McpHost extends RememberingHost {
  constructor() {
    super(REDIRECT_URI, "Assistant");
  }

  /** Continues after the redirect: the person allows, and the host exchanges the code. */
  async comeBack(sub: string, serverUrl: string) {
    const callback = await answerConsent(this.authorizationUrl, sub);
    if (callback.searchParams.get("state") !== this.state()) throw new Error("the state is not the host's");
    const authorizationCode = callback.searchParams.get("code") ?? "";
    return auth(this, { serverUrl, authorizationCode, iss: callback.searchParams.get("iss") ?? "" });
  }

  /**
   * Signs in, and returns the access token. @param scope the scope to request; absent: the one that the metadata names
   */
  async signIn(sub: string, serverUrl: string, scope?: string): Promise<string> {
    await auth(this, scope === undefined ? { serverUrl } : { serverUrl, scope });
    await this.comeBack(sub, serverUrl);
    return this.tokens()?.access_token ?? "";
  }
}
