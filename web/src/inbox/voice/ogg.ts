import type { Recording } from "./webm";

const ascii = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0));

/** At most so much sound in a page, so that a player can start and jump soon. */
const samplesInPage = 48_000;
const segmentsInPage = 255;

/** Puts Opus packets into an Ogg file, as RFC 7845 has it. The packets stay as they are. */
export function writeOgg({ head, packets }: Recording, serial: number): Uint8Array<ArrayBuffer> {
  const out = new Pages(serial);
  out.write([head], 0, { first: true });
  out.write([tags()], 0);
  let waiting: Uint8Array[] = [];
  let segments = 0;
  let samples = 0;
  let written = 0;
  packets.forEach((packet, i) => {
    const more = Math.floor(packet.length / 255) + 1;
    if (waiting.length > 0 && (segments + more > segmentsInPage || samples - written >= samplesInPage)) {
      out.write(waiting, samples);
      waiting = [];
      segments = 0;
      written = samples;
    }
    waiting.push(packet);
    segments += more;
    samples += packetSamples(packet);
    if (i === packets.length - 1) out.write(waiting, samples, { last: true });
  });
  return out.bytes();
}

function tags(): Uint8Array {
  const vendor = ascii("Parley");
  const packet = new Uint8Array(8 + 4 + vendor.length + 4);
  packet.set(ascii("OpusTags"));
  new DataView(packet.buffer).setUint32(8, vendor.length, true);
  packet.set(vendor, 12);
  return packet;
}

/** How much sound a packet holds, at 48 kHz: its first byte tells (RFC 6716, section 3.1). */
export function packetSamples(packet: Uint8Array): number {
  const toc = packet[0] ?? 0;
  const config = toc >> 3;
  const frames = (toc & 3) === 0 ? 1 : (toc & 3) === 3 ? (packet[1] ?? 0) & 63 : 2;
  return frames * frameSamples(config);
}

function frameSamples(config: number): number {
  if (config < 12) return [480, 960, 1920, 2880][config & 3] ?? 0;
  if (config < 16) return (config & 1) === 0 ? 480 : 960;
  return 120 << (config & 3);
}

/** Pages of one stream, numbered and with their checksums. */
class Pages {
  private readonly pages: Uint8Array[] = [];

  constructor(private readonly serial: number) {}

  write(packets: Uint8Array[], granule: number, place: { first?: boolean; last?: boolean } = {}): void {
    const lacing = packets.flatMap(laces);
    const page = new Uint8Array(27 + lacing.length + packets.reduce((n, p) => n + p.length, 0));
    const view = new DataView(page.buffer);
    page.set(ascii("OggS"));
    view.setUint8(5, (place.first ? 2 : 0) | (place.last ? 4 : 0));
    view.setBigUint64(6, BigInt(granule), true);
    view.setUint32(14, this.serial, true);
    view.setUint32(18, this.pages.length, true);
    view.setUint8(26, lacing.length);
    page.set(lacing, 27);
    let at = 27 + lacing.length;
    for (const packet of packets) {
      page.set(packet, at);
      at += packet.length;
    }
    view.setUint32(22, checksum(page), true);
    this.pages.push(page);
  }

  bytes(): Uint8Array<ArrayBuffer> {
    const all = new Uint8Array(this.pages.reduce((n, p) => n + p.length, 0));
    let at = 0;
    for (const page of this.pages) {
      all.set(page, at);
      at += page.length;
    }
    return all;
  }
}

/** A packet's length in a page's table: as many 255 as fit, and the rest. */
function laces(packet: Uint8Array): number[] {
  return [...Array<number>(Math.floor(packet.length / 255)).fill(255), packet.length % 255];
}

const table = Uint32Array.from({ length: 256 }, (_, n) => {
  let r = n << 24;
  for (let bit = 0; bit < 8; bit++) r = r & 0x80000000 ? (r << 1) ^ 0x04c11db7 : r << 1;
  return r >>> 0;
});

/** Ogg's checksum: CRC-32 with the bits not turned round. */
export function checksum(page: Uint8Array): number {
  let crc = 0;
  for (const byte of page) crc = ((crc << 8) ^ (table[((crc >>> 24) ^ byte) & 0xff] ?? 0)) >>> 0;
  return crc;
}
