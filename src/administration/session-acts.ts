import type { D1Sessions } from "#session/sessions.d1.ts";
import { Acts } from "./acts.ts";

/** Decisions about who is signed in to the console and the account page. */
export class SessionActs extends Acts<{ readonly store: Pick<D1Sessions, "endAll"> }> {
  /** Signs everybody out, including people who are in the middle of signing in. @returns how many sessions ended */
  async endAll(): Promise<number> {
    const entry = this.entry("sessions_ended", { sessions: 0 });
    const { sessions, signIns } = await this.parts.store.endAll(entry);
    await this.concluded(sessions + signIns > 0);
    return sessions;
  }
}
