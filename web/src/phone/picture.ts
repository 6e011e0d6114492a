/** A request has room for so much, once the picture is written as text. */
const most = 700 * 1024;

/** The size that a picture is sent in: no side longer than that. */
export function fitted(width: number, height: number, longest = 1600): { width: number; height: number } {
  const scale = Math.min(1, longest / Math.max(width, height, 1));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

function base64(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
}

function drawn(bitmap: ImageBitmap, longest: number): Promise<Blob | null> {
  const size = fitted(bitmap.width, bitmap.height, longest);
  const canvas = document.createElement("canvas");
  canvas.width = size.width;
  canvas.height = size.height;
  canvas.getContext("2d")!.drawImage(bitmap, 0, 0, size.width, size.height);
  return new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.85));
}

/** Makes a picture smaller, as phones do before they send it. It fails for what is no picture. */
export async function pictureOf(file: File): Promise<{ mime_type: string; filename: string; data: string }> {
  const bitmap = await createImageBitmap(file);
  let blob: Blob | null = null;
  for (let longest = 1600; longest >= 400 && (!blob || blob.size > most); longest /= 2) blob = await drawn(bitmap, longest);
  bitmap.close();
  if (!blob || blob.size > most) throw new Error("too large");
  const name = file.name.replace(/\.[^.]*$/, "") || "picture";
  return { mime_type: "image/jpeg", filename: `${name}.jpg`, data: base64(new Uint8Array(await blob.arrayBuffer())) };
}

/** A file as it is. It fails for what a request has no room for. */
export async function documentOf(file: File): Promise<{ mime_type: string; filename: string; data: string }> {
  if (file.size > most) throw new Error("too large");
  const data = base64(new Uint8Array(await file.arrayBuffer()));
  return { mime_type: file.type || "text/plain", filename: file.name, data };
}
