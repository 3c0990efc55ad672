/** Waits until the calls that have reached the object meanwhile were served. */
export async function othersServed(): Promise<void> {
  await scheduler.wait(0);
}
