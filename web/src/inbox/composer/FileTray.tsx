import { useEffect, useMemo } from "react";
import { useText } from "../../i18n";
import { IconButton } from "../../ui/IconButton";
import { Icon } from "../../ui/icons";
import { sizeText } from "../thread/content/source";
import { isStored, kindOf, type Attached } from "./files";
import styles from "./FileTray.module.css";

/** The files that go with the next message. */
export function FileTray({ files, onRemove }: { files: Attached[]; onRemove: (file: Attached) => void }) {
  const t = useText("inbox");
  if (files.length === 0) return null;
  return (
    <ul className={styles.tray} aria-label={t.files}>
      {files.map((file, i) => (
        <li key={`${file.name} ${i}`}>
          <Thumbnail file={file} />
          <span className={styles.name}>{file.name}</span>
          <small>{sizeText(file.size)}</small>
          <IconButton
            icon="close"
            label={t.removeFile(file.name)}
            iconSize={14}
            size={24}
            onClick={() => onRemove(file)}
          />
        </li>
      ))}
    </ul>
  );
}

function Thumbnail({ file }: { file: Attached }) {
  const image = kindOf(file) === "image";
  const made = useMemo(() => (image && !isStored(file) ? URL.createObjectURL(file) : null), [file, image]);
  useEffect(() => () => void (made && URL.revokeObjectURL(made)), [made]);
  const url = image && isStored(file) ? file.path : made;
  return url ? <img src={url} alt="" /> : <Icon name="file" size={20} />;
}
