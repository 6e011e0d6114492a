import { Button, FileButton } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, type ReactNode } from "react";
import { useMe } from "../api/queries";
import { useDrop } from "../inbox/composer/useDrop";
import { Chips } from "../ui/Chips";
import { EmptyState } from "../ui/EmptyState";
import { PageTitle } from "../ui/PageTitle";
import { Icon } from "../ui/icons";
import { NoneFound } from "../ui/NoneFound";
import { NoNumber } from "../ui/NoNumber";
import { SearchField } from "../ui/SearchField";
import { toast } from "../ui/toasts";
import type { MediaKind, MediaSearch } from "./data";
import { FileDetails } from "./FileDetails";
import { FileGrid } from "./FileGrid";
import styles from "./Media.module.css";
import { useMediaText } from "./text";
import { UploadList } from "./UploadList";
import { useUploads } from "./uploads";
import { LinkButton } from "../ui/LinkButton";
import { NumberSelect } from "../ui/NumberSelect";
import { OfNumber } from "../ui/OfNumber";

export default function MediaPage() {
  const t = useMediaText();
  const search: MediaSearch = useSearch({ from: "/signed-in/media" });
  const none = (
    <div className={styles.page}>
      <Head />
      <NoNumber icon="image">{t.noNumberHint}</NoNumber>
    </div>
  );
  const back = <LinkButton variant="default" to="/media">{t.title}</LinkButton>;
  return (
    <OfNumber wanted={search.number} none={none} back={back}>
      {(number) => <Library key={number.team_id} number={number.phone_number_id} search={search} />}
    </OfNumber>
  );
}

function Head({ action }: { action?: ReactNode }) {
  const t = useMediaText();
  return (
    <header className={styles.head}>
      <div>
        <PageTitle>{t.title}</PageTitle>
        <p>{t.hint}</p>
      </div>
      {action}
    </header>
  );
}

function Library({ number, search }: { number: string; search: MediaSearch }) {
  const t = useMediaText();
  const navigate = useNavigate();
  const set = (change: Partial<MediaSearch>) => void navigate({ to: "/media", search: { ...search, ...change }, replace: true });
  const { uploads, upload, dismiss } = useUploads(number, useCallback((ids: string[]) => toast(t.uploaded(ids.length)), [t]));
  const dropping = useDrop(useCallback((files: File[]) => void upload(files), [upload]), false);
  const choose = (
    <FileButton multiple inputProps={{ "aria-label": t.upload }} onChange={(files) => void (files.length > 0 && upload(files))}>
      {(props) => <Button {...props} leftSection={<Icon name="plus" size={18} />}>{t.upload}</Button>}
    </FileButton>
  );
  const none = search.q || search.kind ? (
    <NoneFound icon="image" title={t.noneFound} clear={() => set({ q: undefined, kind: undefined })}>{t.noneFoundHint}</NoneFound>
  ) : (
    <EmptyState icon="image" title={t.none} action={choose}>{t.noneHint}</EmptyState>
  );
  return (
    <div className={styles.page} data-dropping={dropping || undefined}>
      <Head action={choose} />
      <div className={styles.bar}>
        <SearchField className={styles.search} label={t.search} value={search.q} set={(q) => set({ q })} />
        <Chips label={t.kind} value={search.kind ?? "all"} names={t.kinds} choose={(kind) => set({ kind: kind === "all" ? undefined : (kind as MediaKind) })} />
        <NumberOfTeam number={number} set={(next) => set({ number: next, file: undefined })} />
      </div>
      <UploadList uploads={uploads} dismiss={dismiss} />
      <div className={styles.files}>
        <FileGrid number={number} kind={search.kind} q={search.q} chosen={search.file} choose={(file) => set({ file: file.id })} none={none} />
      </div>
      {search.file && <FileDetails key={search.file} number={number} id={search.file} close={() => set({ file: undefined })} />}
      {dropping && <div className={styles.drop}>{t.drop}</div>}
    </div>
  );
}

/** Numbers of one team share a library: there is something to choose only where there are several teams. */
function NumberOfTeam({ number, set }: { number: string; set: (number: string) => void }) {
  const t = useMediaText();
  const { numbers, more_numbers } = useMe();
  if (!more_numbers && new Set(numbers.map((n) => n.team_id)).size < 2) return null;
  return <NumberSelect aria-label={t.number} value={number} onChange={(next) => next && set(next)} />;
}
