const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Where an item stands in time: its id without what kind it is of. */
export const placeOf = (id: string) => id.slice(id.lastIndexOf("_") + 1);

/** Before what was made at a time, in milliseconds: an id begins with the time, in ten digits. */
export function placeAt(time: number): string {
  return Array.from({ length: 10 }, (_, i) => digits[Math.floor(time / 32 ** (9 - i)) % 32]).join("");
}
