/** The grant type for a machine with its own credentials (RFC 6749 §4.4). */
export const CLIENT_CREDENTIALS = "client_credentials";

/** The grant type of an app that acts for a person with another app's access token (RFC 8693 §2.1). */
export const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";

/** The type of access tokens in an exchange (RFC 8693 §3). */
export const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";

/** The grant type of a signed assertion (RFC 7523 §2.1). */
export const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
