import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { auth } from "@modelcontextprotocol/client";
import { answerConsent, REDIRECT_URI } from "./gatehouse.ts";

/** What a host of the Model Context Protocol keeps about one server; the protocol's own SDK decides what to do with it. */
export class McpHost implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT_URI;
  readonly clientMetadata = {
    client_name: "Assistant",
    redirect_uris: [REDIRECT_URI],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
  /** Where the host sent the person's browser. */
  authorizationUrl = new URL("about:blank");
  #client: StoredOAuthClientInformation | undefined;
  #tokens: StoredOAuthTokens | undefined;
  #discovery: OAuthDiscoveryState | undefined;
  #codeVerifier = "";

  state = () => "state-of-the-host";
  clientInformation = () => this.#client;
  saveClientInformation = (client: StoredOAuthClientInformation) => void (this.#client = client);
  tokens = () => this.#tokens;
  saveTokens = (tokens: StoredOAuthTokens) => void (this.#tokens = tokens);
  discoveryState = () => this.#discovery;
  saveDiscoveryState = (discovery: OAuthDiscoveryState) => void (this.#discovery = discovery);
  codeVerifier = () => this.#codeVerifier;
  saveCodeVerifier = (codeVerifier: string) => void (this.#codeVerifier = codeVerifier);
  redirectToAuthorization = (url: URL) => void (this.authorizationUrl = url);

  /** What happens after the redirect: the person allows, and the app gets the code. */
  async comeBack(sub: string, serverUrl: string) {
    const callback = await answerConsent(this.authorizationUrl, sub);
    if (callback.searchParams.get("state") !== this.state()) throw new Error("the state is not the host's");
    const authorizationCode = callback.searchParams.get("code") ?? "";
    return auth(this, { serverUrl, authorizationCode, iss: callback.searchParams.get("iss") ?? "" });
  }

  /** The whole way in; the access token. @param scope what is asked for, unless the metadata decides */
  async signIn(sub: string, serverUrl: string, scope?: string): Promise<string> {
    await auth(this, scope === undefined ? { serverUrl } : { serverUrl, scope });
    await this.comeBack(sub, serverUrl);
    return this.#tokens?.access_token ?? "";
  }
}
