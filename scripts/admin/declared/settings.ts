import type { AdminApi } from "../admin-api.ts";
import { difference, isSame, type Json, type PlannedChange, without } from "./difference.ts";

/** The logo is uploaded separately, so it is in no file. */
const OF_NO_FILE = new Set(["logo"]);

export async function exportSettings(api: AdminApi): Promise<Json> {
  return without(OF_NO_FILE, await api.get("/settings"));
}

export async function planSettings(api: AdminApi, wanted: Json): Promise<PlannedChange[]> {
  const { body, version } = await api.send("GET", "/settings");
  const stored = body as Json;
  const changes = Object.fromEntries(Object.entries(wanted).filter(([name, value]) => !isSame(stored[name], value)));
  const lines = difference("settings", stored, changes);
  return lines.length === 0 ? [] : [{ lines, method: "PATCH", path: "/settings", body: changes, version }];
}
