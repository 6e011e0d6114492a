import { Button, Input } from "@mantine/core";
import { lazy, Suspense, useId, useState } from "react";
import { part } from "../../api/part";
import { Icon, type IconName } from "../../ui/icons";
import type { MediaKind } from "../../media/data";
import { useTemplateText } from "../text";
import { fileOf, type SampleFile } from "./form";
import styles from "./Builder.module.css";

const MediaPicker = lazy(() => part(() => import("../../media/MediaPicker")));

type FileFormat = "IMAGE" | "VIDEO" | "DOCUMENT";
const accepts: Record<FileFormat, string> = { IMAGE: "image/jpeg,image/png", VIDEO: "video/mp4,video/3gpp", DOCUMENT: "application/pdf" };
const kinds: Record<FileFormat, MediaKind> = { IMAGE: "image", VIDEO: "video", DOCUMENT: "document" };
const icons: Record<FileFormat, IconName> = { IMAGE: "image", VIDEO: "play", DOCUMENT: "file" };

interface Props {
  label: string;
  number: string;
  format: FileFormat;
  file: SampleFile | null;
  error?: string;
  onChange: (file: SampleFile) => void;
}

/** The sample of a header's file: from the library, or put there first. */
export function FileField({ label, number, format, file, error, onChange }: Props) {
  const t = useTemplateText();
  const id = useId();
  const [choosing, setChoosing] = useState(false);
  return (
    <Input.Wrapper label={label} labelElement="div" description={`${t.fileHints[format]} ${t.fileSample}`} error={error} errorProps={{ id }}>
      <div className={styles.file}>
        {file && format === "IMAGE" && file.path ? <img src={file.path} alt="" /> : <span className={styles.fileSign}><Icon name={icons[format]} size={22} /></span>}
        <span className={styles.fileName}>{file && (file.name || t.fileKept)}</span>
        <Button variant="default" aria-label={`${file ? t.otherFile : t.chooseFile}: ${label}`} aria-invalid={error ? true : undefined} aria-describedby={error ? id : undefined}
          onClick={() => setChoosing(true)}>
          {file ? t.otherFile : t.chooseFile}
        </Button>
      </div>
      {choosing && (
        <Suspense>
          <MediaPicker number={number} kind={kinds[format]} accept={accepts[format]} close={() => setChoosing(false)}
            choose={(found) => { onChange(fileOf(found)); setChoosing(false); }} />
        </Suspense>
      )}
    </Input.Wrapper>
  );
}
