import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";

/** What an MCP host remembers about one server. The protocol's own SDK decides what to do with it. */
export class RememberingHost implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadata;
  /** Where the host sent the person's browser. */
  authorizationUrl = new URL("about:blank");
  #client: StoredOAuthClientInformation | undefined;
  #tokens: StoredOAuthTokens | undefined;
  #discovery: OAuthDiscoveryState | undefined;
  #codeVerifier = "";

  /** @param redirectUri where the person's browser returns to */
  constructor(redirectUri: string, name: string) {
    this.redirectUrl = redirectUri;
    this.clientMetadata = {
      client_name: name,
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    };
  }

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
}
