import { encode } from "uqr";
import styles from "./QrCode.module.css";

/** Each run of dark modules in a row is one bar, so that the path stays short and has no seams. */
function bars(rows: boolean[][]): string {
  return rows
    .map((row, y) =>
      [...row.map((dark) => (dark ? "1" : "0")).join("").matchAll(/1+/gu)]
        .map((run) => `M${run.index} ${y}h${run[0].length}v1h-${run[0].length}z`)
        .join(""),
    )
    .join("");
}

/**
 * A text to scan with a phone, drawn here: what it says goes to nobody else. It is dark on white in both
 * schemes, because many scanners read nothing else.
 */
export function QrCode({ value, label, size = 192 }: { value: string; label: string; size?: number }) {
  const code = encode(value, { ecc: "M", border: 4 });
  return (
    <svg
      className={styles.code}
      role="img"
      aria-label={label}
      width={size}
      height={size}
      viewBox={`0 0 ${code.size} ${code.size}`}
      shapeRendering="crispEdges"
    >
      <path d={bars(code.data)} fill="#000" />
    </svg>
  );
}
