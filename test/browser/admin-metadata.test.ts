import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openConsole } from "../support/node/browser-administrator.ts";
import { PHONE } from "../support/node/browser-person.ts";
import { expectUsable } from "../support/node/looks.ts";
import { openPlainPage } from "../support/node/plain-pages.ts";

function keyRow(page: Page, number: number) {
  return page.getByRole("group", { name: `Key ${number}`, exact: true });
}

describe("metadata groups in the console", () => {
  it("can be created, given a token, changed and deleted without JavaScript", async () => {
    await using ada = await openPlainPage("/admin/metadata");
    await ada.follow("Create a group");
    await ada.enter({ "Name of the group": "Review" });
    await ada.enter({ Name: "status", Type: "PICKLIST" }, "Key 1");
    await ada.enter({ Name: "due date", "Exclude from free text": true }, "Key 20");
    await ada.press("Create the group");

    await ada.expectRefused("Name", "Key 20");
    expect(await ada.value("Exclude from free text", "Key 20")).toBe(true);
    expect(await ada.value("Type", "Key 1")).toBe("PICKLIST");
    await ada.enter({ Name: "due" }, "Key 20");
    await ada.press("Create the group");
    expect(await ada.text("status")).toContain("created");
    expect(await ada.text()).toContain("reviewdue:");
    await ada.follow("Create a token for this group");
    expect(await ada.value("Group")).toBe("Review");

    await ada.follow("Custom metadata");
    await ada.follow("Review");
    await ada.follow("Change the keys");
    await ada.enter({ Name: "" }, "Key 2");
    await ada.enter({ Name: "owner" }, "Key 3");
    await ada.press("Save");
    expect(await ada.text()).toContain("due is removed: no document has");
    await ada.press("Remove the key");
    expect(await ada.text("status")).toContain("saved");
    expect(await ada.text()).not.toContain("reviewdue:");
    expect(await ada.text()).toContain("reviewowner:");

    await ada.follow("Delete…");
    expect(await ada.text()).toContain("No document has values of it.");
    await ada.follow("Cancel");
    await ada.follow("Delete…");
    await ada.press("Delete the group");
    expect(await ada.text("status")).toContain("deleted");
    expect(await ada.countLinks("Review")).toBe(0);
  });

  it("have accessible pages that fit a phone", async () => {
    await using ada = await openConsole("/admin/metadata/new", PHONE);
    const { page } = ada;
    const group = "Looks";
    const expectHeadedUsable = async (title: string, heading: string) => {
      await page.getByRole("heading", { level: 1, name: heading }).waitFor();
      await expectUsable(page, `admin-metadata-${title}`);
    };
    await page.getByLabel("Name of the group").fill(group);
    await keyRow(page, 1).getByLabel("Name").fill("status");
    await keyRow(page, 2).getByLabel("Name").fill("retention period");
    await page.getByText("More rows").click();
    await page.getByRole("button", { name: "Create the group" }).click();
    await page.getByRole("alert").waitFor();
    await expectHeadedUsable("refused", "Create a group");
    await keyRow(page, 2).getByLabel("Name").fill("retentionPeriodAndALongNameForAKeyOfFiftyCharacters");
    await page.getByRole("button", { name: "Create the group" }).click();
    await page.getByRole("status").waitFor();
    await expectHeadedUsable("one", group);
    await page.getByRole("link", { name: "Change the keys" }).click();
    await expectHeadedUsable("keys", `Keys of ${group}`);
    await keyRow(page, 1).getByLabel("Name").fill("state");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("status is removed").waitFor();
    await expectHeadedUsable("asked", "Remove this key?");
    await page.getByRole("link", { name: "Save nothing" }).click();
    await page.getByRole("link", { name: "Delete…" }).click();
    await expectHeadedUsable("delete", "Delete this group?");
    await page.goto(new URL("/admin/metadata", page.url()).href);
    await expectHeadedUsable("list", "Custom metadata");
  });
});
