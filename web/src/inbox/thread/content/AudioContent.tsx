import { useEffect, useRef, useState, type ComponentPropsWithRef } from "react";
import type { Message } from "../../../api/types";
import { useText } from "../../../i18n";
import { Icon } from "../../../ui/icons";
import { durationText, nextSpeed } from "./audio";
import { useSource } from "./source";
import { Uploading } from "./Uploading";
import styles from "./AudioContent.module.css";

/** The state of a player, and what its audio element reports. Only one player of the page plays at a time. */
function usePlayer() {
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
  const jump = (to: number) => {
    if (audio.current) audio.current.currentTime = to;
  };
  const element: ComponentPropsWithRef<"audio"> = {
    ref: audio,
    onPlay: () => setPlaying(true),
    onPause: () => setPlaying(false),
    onEnded: () => setAt(0),
    onTimeUpdate: (event) => setAt(event.currentTarget.currentTime),
    onDurationChange: ({ currentTarget: { duration } }) => setLength(Number.isFinite(duration) ? duration : 0),
  };
  return { playing, at, length, speed, toggle, jump, faster: () => setSpeed(nextSpeed), element };
}

/** A recording with its player: play, jump, and faster. */
export function AudioContent({ message: m, number }: { message: Message; number: string }) {
  const t = useText("inbox");
  const { url, progress } = useSource(m, number);
  const { playing, at, length, speed, toggle, jump, faster, element } = usePlayer();
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
          onChange={(event) => jump(Number(event.target.value))}
        />
        <span className={styles.time}>{durationText(playing || at > 0 ? at : length)}</span>
        <button type="button" className={styles.speed} aria-label={t.speed(speed)} onClick={faster}>
          {speed}×
        </button>
        {/* A recording of somebody's voice has no captions. */}
        {/* eslint-disable-next-line jsx-a11y/media-has-caption */}
        <audio src={url} preload="metadata" {...element} />
      </div>
      <Uploading message={m.id} progress={progress} />
    </>
  );
}
