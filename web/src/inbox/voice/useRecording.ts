import { useEffect, useRef, useState } from "react";

export type RecordingState =
  { kind: "starting" | "recording" } | { kind: "refused"; reason: string } | { kind: "done"; blob: Blob };

const types = ["audio/webm;codecs=opus", "audio/ogg;codecs=opus"];

/** Records the microphone from the first rendering on. */
export function useRecording() {
  const [state, setState] = useState<RecordingState>({ kind: "starting" });
  const [seconds, setSeconds] = useState(0);
  const recorder = useRef<MediaRecorder>(undefined);
  useEffect(() => {
    let left = false;
    let stream: MediaStream | undefined;
    let timer: ReturnType<typeof setInterval> | undefined;
    const begin = async () => {
      // A voice note has one channel.
      stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1, echoCancellation: true } });
      if (left) return end();
      const mimeType = types.find((type) => MediaRecorder.isTypeSupported(type));
      if (!mimeType) throw new Error("Opus");
      const parts: Blob[] = [];
      const made = new MediaRecorder(stream, { mimeType, audioBitsPerSecond: 32_000 });
      recorder.current = made;
      made.ondataavailable = (event) => parts.push(event.data);
      made.onstop = () => {
        end();
        setState({ kind: "done", blob: new Blob(parts, { type: mimeType }) });
      };
      made.start(1000);
      timer = setInterval(() => setSeconds((n) => n + 1), 1000);
      setState({ kind: "recording" });
    };
    const end = () => {
      clearInterval(timer);
      stream?.getTracks().forEach((track) => track.stop());
    };
    begin().catch((error: unknown) => {
      end();
      if (!left) setState({ kind: "refused", reason: error instanceof Error ? error.message : "" });
    });
    return () => {
      left = true;
      if (recorder.current) recorder.current.onstop = null;
      end();
    };
  }, []);
  const stop = () => recorder.current?.state === "recording" && recorder.current.stop();
  return { state, seconds, stop };
}
