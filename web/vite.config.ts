import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [react()],
  server: { proxy: { "/app/api": "http://localhost:8080" } },
  build: { target: "es2022", sourcemap: false, modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
  test: { environment: "happy-dom", include: ["src/**/*.test.{ts,tsx}"], restoreMocks: true },
});
