// Notes in dist which sources it was built from: a hash over the hashes of all files that the build reads.
// The Go test TestDistIsBuiltFromTheSources does the same sum and needs no Node for it.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const roots = ["index.html", "package-lock.json", "package.json", "public", "src", "tsconfig.json", "vite.config.ts"];

function files(path) {
  try {
    return readdirSync(path).flatMap((name) => files(`${path}/${name}`));
  } catch (error) {
    if (error.code === "ENOTDIR") return [path];
    throw error;
  }
}

const hash = (content) => createHash("sha256").update(content).digest("hex");
const sources = roots.flatMap(files).filter((path) => !/\.test\.tsx?$/.test(path));
const lines = sources.map((path) => `${hash(readFileSync(path))}  ${path}\n`).sort();
writeFileSync("dist/sources.sha256", hash(lines.join("")) + "\n");
