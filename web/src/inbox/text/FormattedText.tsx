import { Fragment, memo, useMemo, type ReactNode } from "react";
import { parseText, type Piece } from "./format";
import styles from "./FormattedText.module.css";

/** A text with its formatting, which may be part of a line. Nothing of it is ever taken for markup. */
export const FormattedText = memo(function FormattedText({ text, inline }: { text: string; inline?: boolean }) {
  const pieces = useMemo(() => parseText(text), [text]);
  return <span className={styles.text} data-inline={inline || undefined}>{render(pieces)}</span>;
});

function render(pieces: Piece[]): ReactNode {
  return pieces.map((piece, i) => <Fragment key={i}>{one(piece)}</Fragment>);
}

function one(piece: Piece): ReactNode {
  switch (piece.kind) {
    case "text":
      return piece.text;
    case "bold":
      return <strong>{render(piece.pieces)}</strong>;
    case "italic":
      return <em>{render(piece.pieces)}</em>;
    case "strike":
      return <s>{render(piece.pieces)}</s>;
    case "code":
      return <code data-block={piece.block || undefined}>{piece.text}</code>;
    case "link":
      return (
        <a href={piece.href} target="_blank" rel="noopener noreferrer nofollow">
          {piece.text}
        </a>
      );
  }
}
