/** The part of oidc-provider that the bench uses; the package has no types. */
declare module "oidc-provider" {
  interface Client {
    readonly clientId: string;
  }

  interface Saved {
    save(): Promise<string>;
  }

  export class Provider {
    constructor(issuer: string, configuration: object);
    readonly Client: { find(clientId: string): Promise<Client> };
    readonly Grant: new (
      properties: object,
    ) => Saved & { addResourceScope(resource: string, scope: string): void };
    readonly AuthorizationCode: new (
      properties: object,
    ) => Saved;
    readonly RefreshToken: new (
      properties: object,
    ) => Saved;
    callback(): unknown;
  }
}

declare module "node:http" {
  export function createServer(listener: unknown): import("cloudflare:node").NodeStyleServer;
}
