import { Button, TagsInput, Textarea, TextInput } from "@mantine/core";
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type KeyboardEvent } from "react";
import { get, send } from "../../api/client";
import { useBroadcasts } from "../../broadcasts/text";
import { useLanguage, useText } from "../../i18n";
import { FormDialog } from "../../ui/Dialog";
import { IconButton } from "../../ui/IconButton";
import { Parts } from "../../ui/Parts";
import { Icon } from "../../ui/icons";
import { Loaded } from "../../ui/Loaded";
import { toastError } from "../../ui/toasts";
import { useSubmit } from "../../ui/useSubmit";
import { AdminsOnly } from "../AdminsOnly";
import { Row, Rows, Tag } from "../Rows";
import { Section } from "../Section";

interface Words {
  language: string;
  default: boolean;
  stop: string[];
  start: string[];
  stop_reply: string;
  start_reply: string;
}

const wordsQuery = queryOptions({
  queryKey: ["opt-out-words"],
  queryFn: async () => (await get<{ languages: Words[] }>("/opt_out_words")).languages,
});

/** By which words people say that they want no marketing any more, and what they are answered. */
export default function WordsPage() {
  return (
    <AdminsOnly>
      <Page />
    </AdminsOnly>
  );
}

function Page() {
  const t = useBroadcasts();
  const query = useQuery(wordsQuery);
  const [edited, setEdited] = useState<Words | "new">();
  const add = <Button leftSection={<Icon name="plus" size={18} />} onClick={() => setEdited("new")}>{t.addLanguage}</Button>;
  return (
    <Section title={t.words} hint={t.wordsHint} action={add}>
      <Loaded query={query}>
        {(all) => <Rows label={t.words}>{all.map((words) => <Language key={words.language} words={words} edit={() => setEdited(words)} />)}</Rows>}
      </Loaded>
      {edited && <Edit words={edited === "new" ? undefined : edited} close={() => setEdited(undefined)} />}
    </Section>
  );
}

function Language({ words: w, edit }: { words: Words; edit: () => void }) {
  const t = useBroadcasts();
  const common = useText("common");
  const client = useQueryClient();
  const names = new Intl.DisplayNames([useLanguage()], { type: "language", fallback: "code" });
  const name = names.of(w.language) ?? w.language;
  const reset = () => void send("DELETE", `/opt_out_words/${w.language}`).catch(toastError).finally(() => void client.invalidateQueries(wordsQuery));
  return (
    <Row
      name={<>{name} {!w.default && <Tag>{t.chosen}</Tag>}</>}
      detail={<Parts>{[w.stop.join(", "), w.start.join(", ")]}</Parts>}
      actions={
        <>
          {!w.default && <Button variant="subtle" color="gray" size="compact-md" onClick={reset}>{t.resetWords}</Button>}
          <IconButton icon="pencil" label={`${common.edit} ${name}`} iconSize={18} size={36} onClick={edit} />
        </>
      }
    />
  );
}

/** Enter ends a word. Once more, with nothing typed, it would save the form before the other words are there. */
function stayOnEnter(event: KeyboardEvent<HTMLInputElement>) {
  if (event.key === "Enter" && event.currentTarget.value.trim() === "") event.preventDefault();
}

function Edit({ words, close }: { words?: Words; close: () => void }) {
  const t = useBroadcasts();
  const common = useText("common");
  const client = useQueryClient();
  const [language, setLanguage] = useState(words?.language ?? "");
  const [w, setWords] = useState({ stop: words?.stop ?? [], start: words?.start ?? [], stop_reply: words?.stop_reply ?? "", start_reply: words?.start_reply ?? "" });
  const submit = useSubmit(["stop", "start", "stop_reply", "start_reply", "language"], () => send("PATCH", `/opt_out_words/${language.trim().toLowerCase()}`, w), () => {
    void client.invalidateQueries(wordsQuery);
    close();
  });
  const set = (change: Partial<typeof w>) => setWords({ ...w, ...change });
  return (
    <FormDialog title={t.words} action={common.save} close={close} submit={submit}>
      {!words && (
        <TextInput label={t.languageCode} description={t.languageHint} data-autofocus required maxLength={3} pattern="[A-Za-z]{2,3}" value={language} error={submit.errorOf("language")}
          onChange={(event) => setLanguage(event.target.value)} />
      )}
      <TagsInput onKeyDown={stayOnEnter} label={t.stopWords} placeholder={t.wordsPlaceholder} maxTags={20} value={w.stop} error={submit.errorOf("stop")} onChange={(stop) => set({ stop })} />
      <Textarea label={t.stopReply} description={t.replyHint} autosize minRows={2} maxLength={1000} value={w.stop_reply} error={submit.errorOf("stop_reply")}
        onChange={(event) => set({ stop_reply: event.target.value })} />
      <TagsInput onKeyDown={stayOnEnter} label={t.startWords} placeholder={t.wordsPlaceholder} maxTags={20} value={w.start} error={submit.errorOf("start")} onChange={(start) => set({ start })} />
      <Textarea label={t.startReply} description={t.replyHint} autosize minRows={2} maxLength={1000} value={w.start_reply} error={submit.errorOf("start_reply")}
        onChange={(event) => set({ start_reply: event.target.value })} />
    </FormDialog>
  );
}
