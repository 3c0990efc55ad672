/** How tests reach the OpenID provider that runs beside them. */
export interface SsoUnderTest {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** How tests reach the Gatehouse that runs beside them. */
export interface GatehouseUnderTest {
  readonly port: number;
}

declare module "vitest" {
  /** What a global setup tells the tests. */
  interface ProvidedContext {
    sso: SsoUnderTest;
    gatehouse: GatehouseUnderTest;
    /** How much the long proofs in bench/ do. */
    rounds: number;
    requests: number;
    seed: number;
  }
}
