import type { MetricsDataset } from "#platform/bindings.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { env } from "../support/isolate.ts";
import { makeInstance, send } from "../support/world.ts";

type Point = Parameters<MetricsDataset["writeDataPoint"]>[0];

/** Returns the data points that a request writes. */
async function pointsOf(path: string, init: RequestInit, host?: string): Promise<Point[]> {
  const points: Point[] = [];
  const METRICS: MetricsDataset = { writeDataPoint: (point) => void points.push(point) };
  const url = host === undefined ? path : `https://${host}${path}`;
  await (await send(url, init, { ...env, METRICS })).body?.cancel();
  return points;
}

describe("the metrics of refusals", () => {
  beforeAll(async () => {
    await makeInstance();
  });

  it("name the instance, the route, the reason, the error and the status", async () => {
    const init = { method: "POST", body: "{}", headers: { Authorization: "Bearer secret" } };
    expect(await pointsOf("/rest/api/v1/search", init)).toEqual([
      { indexes: ["acme"], blobs: ["POST /rest/api/v1", "service_token_malformed", "invalid_secret"], doubles: [401] },
    ]);
  });

  it("contain nothing of a path without a route, which could be a token", async () => {
    expect(await pointsOf(`/ghs_${"a".repeat(30)}`, {})).toEqual([
      { indexes: ["acme"], blobs: ["GET", "no_route", "not_found"], doubles: [404] },
    ]);
  });

  it("have no instance if the host has none", async () => {
    const [point] = await pointsOf("/", {}, "nobody-be.example.com");
    expect(point).toMatchObject({ indexes: [""], doubles: [404] });
  });

  it("are only about refusals", async () => {
    expect(await pointsOf("/.well-known/oauth-protected-resource", {})).toEqual([]);
  });
});
