import { noticeAt } from "#admin-console/console-paths-endpoint.ts";
import { describe, expect, it } from "vitest";

describe("what a page of the console says after a form", () => {
  it.each([
    ["/admin/clients/rules", "saved", "Rules saved. They apply to running tokens within 10 seconds."],
    ["/admin/service-accounts/content", "saved", "Saved. It applies to running tokens within 10 seconds."],
    ["/admin/service-accounts/abc", "saved", "Service account saved."],
    ["/admin/metadata/groups/hr", "saved", "Keys saved. The hourly clean-up updates the values of documents."],
  ])("is its own, although other pages have the same word or a path that matches: %s", (path, word, notice) => {
    expect(noticeAt(path, word)).toBe(notice);
  });

  it.each([
    ["/admin/clients", "saved"],
    ["/admin/service-accounts/abc/disable", "disabled"],
    ["/admin/clients", "toString"],
    ["/admin/clients", undefined],
    ["/elsewhere", "saved"],
  ])("is nothing for other words and pages: %s with %s", (path, word) => {
    expect(noticeAt(path, word)).toBeUndefined();
  });
});
