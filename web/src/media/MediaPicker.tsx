import { Button, FileButton, TextInput } from "@mantine/core";
import { useDebouncedValue, useMediaQuery } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { Modal } from "../ui/Modal";
import { Icon } from "../ui/icons";
import { toastError } from "../ui/toasts";
import { fileQuery, type LibraryFile, type MediaKind } from "./data";
import { FileGrid } from "./FileGrid";
import styles from "./Media.module.css";
import { useMediaText } from "./text";
import { UploadList } from "./UploadList";
import { useUploads } from "./uploads";

interface Props {
  number: string;
  kind?: MediaKind;
  /** The types that fit, as a file field takes them. */
  accept?: string;
  choose: (file: LibraryFile) => void;
  close: () => void;
}

/** Chooses a file of the library, or puts one there and takes it. */
export default function MediaPicker({ number, kind, accept, choose, close }: Props) {
  const t = useMediaText();
  const client = useQueryClient();
  const narrow = useMediaQuery("(max-width: 720px)");
  const [words, setWords] = useState("");
  const [q] = useDebouncedValue(words, 250);
  const take = useCallback(
    ([id]: string[]) => void (id && client.fetchQuery(fileQuery(number, id)).then(choose, toastError)),
    [client, number, choose],
  );
  const { uploads, upload, dismiss } = useUploads(number, take);
  const fits = (file: LibraryFile) => !accept || accept.split(",").includes(file.mime_type.split(";")[0] ?? "");
  return (
    <Modal onClose={close} title={t.choose} size={820} centered fullScreen={narrow}>
      <div className={styles.picker}>
        <div className={styles.bar}>
          <TextInput className={styles.search} type="search" aria-label={t.search} placeholder={t.search} value={words}
            leftSection={<Icon name="search" size={16} />} onChange={(event) => setWords(event.target.value)} />
          <FileButton accept={accept} inputProps={{ "aria-label": t.upload }} onChange={(file) => void (file && upload([file]))}>
            {(props) => <Button {...props} leftSection={<Icon name="plus" size={18} />}>{t.upload}</Button>}
          </FileButton>
        </div>
        <UploadList uploads={uploads} dismiss={dismiss} />
        <div className={styles.pickerFiles}>
          <FileGrid number={number} kind={kind} q={q} fits={fits} choose={choose} />
        </div>
      </div>
    </Modal>
  );
}
