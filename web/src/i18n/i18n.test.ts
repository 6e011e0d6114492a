import { afterEach, expect, test } from "vitest";
import { preferredLanguage, setLanguage, startLanguage, text } from ".";
import * as english from "./en";
import { audit as englishAudit } from "./en/audit";
import { broadcasts as englishBroadcasts } from "./en/broadcasts";
import { dev as englishConsole } from "./en/dev";
import { media as englishMedia } from "./en/media";
import { templates as englishTemplates } from "./en/templates";
import { security as englishSecurity } from "./en/security";
import { usage as englishUsage } from "./en/usage";
import * as indonesian from "./id";
import { audit as indonesianAudit } from "./id/audit";
import { broadcasts as indonesianBroadcasts } from "./id/broadcasts";
import { dev as indonesianConsole } from "./id/dev";
import { media as indonesianMedia } from "./id/media";
import { templates as indonesianTemplates } from "./id/templates";
import { security as indonesianSecurity } from "./id/security";
import { usage as indonesianUsage } from "./id/usage";

afterEach(() => setLanguage("en"));

test("the user's choice comes before the browser's languages", () => {
  expect(preferredLanguage("en", ["id-ID", "en"])).toBe("en");
  expect(preferredLanguage(null, ["fr-FR", "id-ID", "en"])).toBe("id");
  expect(preferredLanguage("tlh", ["fr"])).toBe("en");
});

test("a choice changes the texts, the document, and is kept", async () => {
  await setLanguage("id");
  expect(text("common").save).toBe("Simpan");
  expect(document.documentElement.lang).toBe("id");
  await startLanguage();
  expect(text("common").save).toBe("Simpan");
});

// The types hold the keys together; nothing but this holds texts together that nobody has translated.
test("every text is there, in both languages", () => {
  const areas = { ...english, audit: englishAudit, broadcasts: englishBroadcasts, dev: englishConsole, media: englishMedia, security: englishSecurity, templates: englishTemplates, usage: englishUsage };
  const translations = { ...indonesian, audit: indonesianAudit, broadcasts: indonesianBroadcasts, dev: indonesianConsole, media: indonesianMedia, security: indonesianSecurity, templates: indonesianTemplates, usage: indonesianUsage };
  for (const [area, texts] of Object.entries(areas)) {
    const others = translations[area as keyof typeof translations] as Record<string, unknown>;
    for (const [key, value] of Object.entries(texts)) {
      expect(typeof others[key], `${area}.${key}`).toBe(typeof value);
      expect(others[key], `${area}.${key}`).not.toBe("");
    }
  }
});

test("counts stop at 999+", () => {
  expect(english.shell.unread(1)).toBe("1 unread conversation");
  expect(english.shell.unread(1000)).toContain("999+");
  expect(indonesian.shell.unread(1000)).toContain("999+");
});
