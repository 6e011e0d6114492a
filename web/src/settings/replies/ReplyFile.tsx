import { Button, Input } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { part } from "../../api/part";
import { useNumberOfTeam } from "../../api/numbers";
import { useText } from "../../i18n";
import { fileQuery } from "../../media/data";
import { Icon } from "../../ui/icons";
import styles from "./ReplyFile.module.css";

const MediaPicker = lazy(() => part(() => import("../../media/MediaPicker")));

interface Props {
  id: string | null;
  /** Whose library it is taken from; without one, that of the first number. */
  team: string | null;
  error?: string;
  onChange: (id: string | null) => void;
}

/** The file that goes with a canned reply: from the library, or put there first. */
export function ReplyFile({ id, team, error, onChange }: Props) {
  const t = useText("settings");
  const [choosing, setChoosing] = useState(false);
  const number = useNumberOfTeam(team)?.phone_number_id;
  const file = useQuery({ ...fileQuery(number ?? "", id ?? ""), enabled: id !== null && number !== undefined }).data;
  if (!number) return null;
  return (
    <Input.Wrapper label={t.replyFile} labelElement="div" description={t.replyFileHint} error={error}>
      <div className={styles.file}>
        {id && (
          <span className={styles.name}>
            <Icon name="clip" size={16} /> {file?.filename ?? id}
          </span>
        )}
        <Button variant="default" onClick={() => setChoosing(true)}>{id ? t.attachOther : t.attach}</Button>
        {id && <Button variant="subtle" color="gray" onClick={() => onChange(null)}>{t.takeAway}</Button>}
      </div>
      {choosing && (
        <Suspense>
          <MediaPicker number={number} close={() => setChoosing(false)} choose={(found) => { onChange(found.id); setChoosing(false); }} />
        </Suspense>
      )}
    </Input.Wrapper>
  );
}
