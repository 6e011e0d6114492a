import { writeOgg } from "./ogg";
import { readWebM } from "./webm";

/** The type that the network takes as a voice note. */
export const voiceNoteType = "audio/ogg; codecs=opus";

/** Makes a voice note of a recording: the same packets in the container that the network wants. */
export async function voiceNote(recording: Blob): Promise<File> {
  const name = "voice.ogg";
  if (recording.type.startsWith("audio/ogg")) return new File([recording], name, { type: voiceNoteType });
  const serial = crypto.getRandomValues(new Uint32Array(1))[0] ?? 1;
  const ogg = writeOgg(readWebM(new Uint8Array(await recording.arrayBuffer())), serial);
  return new File([ogg], name, { type: voiceNoteType });
}
