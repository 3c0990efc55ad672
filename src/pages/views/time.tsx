import type { Language } from "#messages/locale.ts";

/** The units of {@link agoOf}, in seconds. */
const UNITS = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

/** Returns a day in UTC, such as `2026-11-22`. @param at epoch seconds */
export function dayOf(at: number): string {
  return new Date(at * 1000).toISOString().slice(0, 10);
}

/** Returns how long ago a time was, or will be, in words: "3 days ago". @param at epoch seconds, as `now` */
export function agoOf(at: number, now: number, language: Language): string {
  const seconds = at - now;
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", Number.POSITIVE_INFINITY];
  const words = new Intl.RelativeTimeFormat(language, { numeric: unit === "second" ? "auto" : "always" });
  return words.format(Math.trunc(seconds / size), unit);
}

/** How long ago a time was, with the exact time on hover. */
export function Ago({ at, now, language }: { readonly at: number; readonly now: number; readonly language: Language }) {
  return (
    <time datetime={new Date(at * 1000).toISOString()} title={minuteOf(at).join(" ")}>
      {agoOf(at, now, language)}
    </time>
  );
}

export function Day({ at }: { readonly at: number }) {
  return <time datetime={new Date(at * 1000).toISOString()}>{dayOf(at)}</time>;
}

/** The time of day in UTC, below its day. */
export function Clock({ at }: { readonly at: number }) {
  return (
    <time datetime={new Date(at * 1000).toISOString()} title={minuteOf(at).join(" ")}>
      {minuteOf(at)[1].slice(0, 5)}
    </time>
  );
}

/** A time in UTC, to the minute. */
export function Minute({ at }: { readonly at: number }) {
  const [day, minute] = minuteOf(at);
  return (
    <time datetime={new Date(at * 1000).toISOString()}>
      <span>{day}</span> <span>{minute}</span>
    </time>
  );
}

function minuteOf(at: number): [day: string, minute: string] {
  return [dayOf(at), `${new Date(at * 1000).toISOString().slice(11, 16)} UTC`];
}
