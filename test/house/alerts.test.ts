import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const ALERTS = readFileSync("docs/deployment.md", "utf8")
  .split(/^## /m)
  .find((part) => part.startsWith("Metrics and alerts"));

const SOURCE = globSync("src/**/*.{ts,tsx}")
  .map((file) => readFileSync(file, "utf8"))
  .join("\n");

/** Whether a line of the log can have this field with this value. */
const isLogged = (field: string, value: string): boolean =>
  field === "event"
    ? SOURCE.includes(`event: "${value}"`)
    : field === "reason"
      ? SOURCE.includes(`"${value}"`)
      : field === "status" && ["500", "503"].includes(value);

describe("the alerts in docs/deployment.md", () => {
  it("filter the log by fields and values that it has", () => {
    const filters = [...(ALERTS ?? "").matchAll(/`(\w+)` equals `?(\w+)`?/g)].map(([, field = "", value = ""]) => [
      field,
      value,
    ]);
    expect(filters.length).toBeGreaterThan(8);
    expect(filters.filter(([field = "", value = ""]) => !isLogged(field, value))).toEqual([]);
  });
});
