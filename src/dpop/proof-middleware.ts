import type { InstanceEnv } from "#instance/middleware.ts";
import type { ContextOf } from "#platform/http.ts";
import type { ProvedRequest } from "./dpop-proof.ts";
import type { DpopProofs } from "./dpop-proofs.ts";

type ProofContext = Pick<ContextOf<InstanceEnv<{ readonly dpopProofs: DpopProofs }>>, "req" | "get">;

/** Returns the proof of a request, and the request as the proof must name it. The host is the instance's, even behind a proxy. */
export function provedRequest({ req, get }: ProofContext): ProvedRequest {
  return { proof: req.header("dpop"), method: req.method, url: get("instance").issuer + req.path };
}

/** Adds the nonce for the next proof to the response, even if it is an error (RFC 9449 §8.2, §9). */
export async function offerNonce({ get }: ProofContext): Promise<void> {
  get("frame").dpopNonce = await get("services").dpopProofs.nonce(get("instance"));
}
