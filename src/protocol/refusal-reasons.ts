/**
 * Why a request was refused, as logs, counts and the console name it: one word of our own code, in lower case with underscores. A text
 * from elsewhere doesn't compile, so nothing that a caller sent becomes a reason. Details that vary (a parameter's name, a provider's
 * error) go into the refusal's `about`.
 */
export type RefusalReason = Lowercase<string>;
