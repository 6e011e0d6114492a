import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

/** What nearly every page needs. In one file it is fetched at once, and kept by browsers when only our code changes. */
const common = /node_modules\/(react|react-dom|scheduler|@mantine|@tanstack|@floating-ui|react-[a-z-]+|use-[a-z-]+)\//;

/**
 * Our own parts that every page shares: one file, not a dozen small ones. What few pages need is apart; so are the texts
 * that only their pages name, which come with them.
 */
const ours = /src\/(api|shell|theme|ui\/(?!QrCode|DayBars|CopyField|PasswordInput|Unsaved|useEdited|Chips|More|OfNumber|reasons)|i18n\/(index|en\/(index|auth|common|contacts|errors|inbox|organization|phone|settings|shell)\.))/;

export default defineConfig({
  plugins: [react()],
  server: { proxy: { "/app/api": "http://localhost:8080" } },
  build: {
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "vendor", test: common }, { name: "shared", test: ours }] } } },
  },
  test: { environment: "happy-dom", include: ["src/**/*.test.{ts,tsx}"], restoreMocks: true, pool: "threads", isolate: false },
});
