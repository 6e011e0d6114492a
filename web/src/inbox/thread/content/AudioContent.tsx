import { useEffect, useRef, useState } from "react";
import type { Message } from "../../../api/types";
import { useText } from "../../../i18n";
import { Icon } from "../../../ui/icons";
import { durationText, nextSpeed } from "./audio";
import { useSource } from "./source";
import { Uploading } from "./Uploading";
import styles from "./AudioContent.module.css";

/** A recording with its player: play, jump, and faster. One plays at a time. */
export function AudioContent({ message: m, number }: { message: Message; number: string }) {
  const t = useText("inbox");
  const { url, progress } = useSource(m, number);
  const audio = useRef<HTMLAudioElement>(null);
  const [playing, setPlaying] = useState(false);
  const [at, setAt] = useState(0);
  const [length, setLength] = useState(0);
  const [speed, setSpeed] = useState(1);
  useEffect(() => {
    if (audio.current) audio.current.playbackRate = speed;
  }, [speed, playing]);
  const toggle = () => {
    const element = audio.current;
    if (!element) return;
    if (!element.paused) return element.pause();
    document.querySelectorAll("audio").forEach((other) => other.pause());
    void element.play().catch(() => setPlaying(false));
  };
  return (
    <>
      <div className={styles.player}>
        <button type="button" className={styles.play} aria-label={playing ? t.pause : t.play} onClick={toggle}>
          <Icon name={playing ? "pause" : "play"} size={18} />
        </button>
        <input
          type="range"
          min={0}
          max={length || 1}
          step={0.1}
          value={Math.min(at, length || 1)}
          aria-label={t.position}
          aria-valuetext={durationText(at)}
          onChange={(event) => {
            if (audio.current) audio.current.currentTime = Number(event.target.value);
          }}
        />
        <span className={styles.time}>{durationText(playing || at > 0 ? at : length)}</span>
        <button type="button" className={styles.speed} aria-label={t.speed(speed)} onClick={() => setSpeed(nextSpeed)}>
          {speed}×
        </button>
        {/* A recording of somebody's voice has no captions. */}
        {/* eslint-disable-next-line jsx-a11y/media-has-caption */}
        <audio
          ref={audio}
          src={url}
          preload="metadata"
          onPlay={() => setPlaying(true)}
          onPause={() => setPlaying(false)}
          onEnded={() => setAt(0)}
          onTimeUpdate={(event) => setAt(event.currentTarget.currentTime)}
          onDurationChange={(event) => {
            const { duration } = event.currentTarget;
            setLength(Number.isFinite(duration) ? duration : 0);
          }}
        />
      </div>
      <Uploading progress={progress} />
    </>
  );
}
