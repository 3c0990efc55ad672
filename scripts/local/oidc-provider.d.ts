/**
 * The part of oidc-provider that the local SSO uses. The package has no types of its own.
 *
 * Only what is called here is declared, so using anything else is a type error and a reason to look it up.
 */
declare module "oidc-provider" {
  import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

  /** What oidc-provider passes to its hooks: Koa's context with the request's OpenID Connect state. */
  export interface ProviderContext {
    type: string;
    body: unknown;
    readonly oidc: {
      readonly provider: Provider;
      readonly client: { readonly clientId: string };
      readonly session: { accountId?: string };
      readonly result?: { readonly login?: unknown };
      promptPending(name: string): boolean;
    };
  }

  export interface Account {
    readonly accountId: string;
    claims(): Promise<Record<string, unknown>>;
  }

  export interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  export interface Session {
    accountId?: string | undefined;
    authorizations?: Record<string, unknown> | undefined;
    persist(): Promise<string>;
  }

  /** A sign-in in progress: what the application requested, and who the browser is already signed in as. */
  export interface Interaction {
    readonly uid: string;
    readonly params: Readonly<Record<string, string | undefined>>;
    readonly session?: { readonly uid: string; readonly accountId?: string };
  }

  export interface Configuration {
    acrValues: readonly string[];
    adapter: (model: string) => unknown;
    claims: Record<string, readonly string[]>;
    clientAuthMethods: readonly string[];
    clients: readonly Record<string, unknown>[];
    conformIdTokenClaims: boolean;
    cookies: { names: Record<"session" | "interaction" | "resume", string>; keys: readonly string[] };
    features: Record<string, { enabled: boolean }>;
    findAccount(context: ProviderContext, sub: string): Promise<Account | undefined>;
    interactions: { policy: unknown; url(context: ProviderContext, interaction: Interaction): string };
    jwks: { keys: readonly object[] };
    loadExistingGrant(context: ProviderContext): Promise<Grant>;
    pkce: { required(): boolean };
    renderError(context: ProviderContext, out: Record<string, string>, error: Error): Promise<void>;
    responseTypes: readonly string[];
    scopes: readonly string[];
    ttl: Record<string, number>;
  }

  export class Provider {
    constructor(issuer: string, configuration: Configuration);
    readonly Grant: new (properties: {
      clientId: string;
      accountId: string;
    }) => Grant;
    readonly Session: { findByUid(uid: string): Promise<Session | undefined> };
    callback(): RequestListener;
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
    /** Stores the result and returns the address at which the provider continues. */
    interactionResult(
      request: IncomingMessage,
      response: ServerResponse,
      result: Record<string, unknown>,
    ): Promise<string>;
    on(event: "server_error", listener: (context: ProviderContext, error: Error) => void): this;
  }

  export const interactionPolicy: {
    readonly Check: new (
      reason: string,
      description: string,
      error: string,
      check: (context: ProviderContext) => boolean,
    ) => unknown;
    readonly Prompt: new (options: { name: string; requestable: boolean }) => unknown;
    base(): {
      get(name: string): { checks: { add(check: unknown): void } };
      add(prompt: unknown): void;
    };
  };
}

declare module "oidc-provider/lib/adapters/memory_adapter.js" {
  /** Storage in the process's memory, without the warning that the default one prints. */
  export function createMemoryAdapter(): (model: string) => unknown;
}
