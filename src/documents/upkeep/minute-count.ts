/** Counts events per minute, in memory. Times are epoch seconds. */
export class MinuteCount {
  #minute = 0;
  #now = 0;
  #before = 0;

  note(now: number): void {
    this.#turn(now);
    this.#now += 1;
  }

  /** Returns how many there were in the last whole minute or in this one, whichever had more. */
  perMinute(now: number): number {
    this.#turn(now);
    return Math.max(this.#now, this.#before);
  }

  #turn(now: number): void {
    const minute = Math.floor(now / 60);
    if (minute === this.#minute) return;
    this.#before = minute === this.#minute + 1 ? this.#now : 0;
    this.#now = 0;
    this.#minute = minute;
  }
}
