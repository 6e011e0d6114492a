// @vitest-environment node
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { checksum, packetSamples, writeOgg } from "./ogg";
import { readWebM, type Recording } from "./webm";
import { voiceNote } from "./voicenote";

// What Chromium's MediaRecorder made of its own test sound in 2.3 seconds, mono.
const chromium = new Uint8Array(readFileSync(new URL("testdata/chromium.webm", import.meta.url)));

interface Page {
  flags: number;
  granule: number;
  number: number;
  packets: Uint8Array[];
}

/** Reads an Ogg file the way RFC 3533 has it, and checks every sum. */
function readOgg(file: Uint8Array): Page[] {
  const pages: Page[] = [];
  let at = 0;
  while (at < file.length) {
    const view = new DataView(file.buffer, file.byteOffset + at);
    expect(String.fromCharCode(...file.subarray(at, at + 4))).toBe("OggS");
    const lacing = file.subarray(at + 27, at + 27 + view.getUint8(26));
    const size = 27 + lacing.length + lacing.reduce((n, l) => n + l, 0);
    const whole = file.slice(at, at + size);
    new DataView(whole.buffer).setUint32(22, 0);
    expect(checksum(whole)).toBe(view.getUint32(22, true));
    const page: Page = {
      flags: view.getUint8(5),
      granule: Number(view.getBigUint64(6, true)),
      number: view.getUint32(18, true),
      packets: [],
    };
    let from = 27 + lacing.length;
    let length = 0;
    for (const lace of lacing) {
      length += lace;
      if (lace === 255) continue;
      page.packets.push(whole.subarray(from, from + length));
      from += length;
      length = 0;
    }
    pages.push(page);
    at += size;
  }
  return pages;
}

it("has Ogg's own checksum", () => {
  expect(checksum(new TextEncoder().encode("123456789"))).toBe(0x89a1897f);
});

it("moves the packets of a real recording from one container to the other", () => {
  const recording = readWebM(chromium);
  const pages = readOgg(writeOgg(recording, 42));
  const [head, tags, ...sound] = pages;
  expect(String.fromCharCode(...(head?.packets[0]?.subarray(0, 8) ?? []))).toBe("OpusHead");
  expect(String.fromCharCode(...(tags?.packets[0]?.subarray(0, 8) ?? []))).toBe("OpusTags");
  expect(sound.flatMap((p) => p.packets)).toEqual(recording.packets);
  expect(pages.map((p) => p.number)).toEqual(pages.map((_, i) => i));
  expect(pages.map((p) => p.flags)).toEqual(pages.map((_, i) => (i === 0 ? 2 : i === pages.length - 1 ? 4 : 0)));
});

it("counts the sound: every page ends where its last packet does", () => {
  const recording = readWebM(chromium);
  let samples = 0;
  for (const page of readOgg(writeOgg(recording, 1)).slice(2)) {
    for (const packet of page.packets) samples += packetSamples(packet);
    expect(page.granule).toBe(samples);
  }
  expect(samples / 48_000).toBeGreaterThan(2);
  expect(samples / 48_000).toBeLessThan(2.6);
});

it("takes packets of any length", () => {
  const packets = [1, 254, 255, 256, 510, 511, 60_000].map((n) => new Uint8Array(n).fill(0x78));
  const made: Recording = { head: new Uint8Array([1]), packets };
  expect(
    readOgg(writeOgg(made, 9))
      .slice(2)
      .flatMap((p) => p.packets),
  ).toEqual(packets);
});

it.each([
  [[0x00], 480],
  [[0x18], 2880],
  [[0x60], 480],
  [[0x78], 960],
  [[0x80], 120],
  [[0x98], 960],
  [[0x99], 1920],
  [[0xfb, 0x83], 2880],
])("packet %j holds %d samples", (packet, samples) => {
  expect(packetSamples(Uint8Array.from(packet))).toBe(samples);
});

it("reads what is there of a recording that was cut off", () => {
  const { packets } = readWebM(chromium.subarray(0, chromium.length - 100));
  expect(packets.length).toBe(readWebM(chromium).packets.length - 1);
});

it("refuses what is no recording", () => {
  expect(() => readWebM(new TextEncoder().encode("not a film"))).toThrow("no Opus track");
  expect(() => readWebM(new Uint8Array())).toThrow("no Opus track");
});

it("makes a file of the type that the network takes", async () => {
  const note = await voiceNote(new Blob([chromium], { type: "audio/webm;codecs=opus" }));
  expect(note.type).toBe("audio/ogg; codecs=opus");
  expect(note.name).toBe("voice.ogg");
});
