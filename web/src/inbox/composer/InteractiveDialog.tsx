import { Button, Group, SegmentedControl, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Conversation } from "../../api/types";
import { useText } from "../../i18n";
import { Modal } from "../../ui/Modal";
import {
  bodyLength, interactiveOf, isTooLong, isWhole, mostChoices, titleLength, type Choice, type InteractiveDraft,
} from "./interactive";
import { useSend } from "./useSend";
import styles from "./InteractiveDialog.module.css";

interface Props {
  conversation: Conversation;
  /** What was written before: the dialog begins with it. */
  body: () => string;
  onSent: () => void;
  onClose: () => void;
}

const empty: Choice = { title: "", description: "" };

export default function InteractiveDialog({ conversation, body, onSent, onClose }: Props) {
  const t = useText("inbox");
  const common = useText("common");
  const errors = useText("errors");
  const { sendContents } = useSend(conversation);
  const [draft, setDraft] = useState<InteractiveDraft>(() => ({
    kind: "buttons",
    body: body(),
    button: t.listButtonDefault,
    choices: [empty, empty],
  }));
  const set = (change: Partial<InteractiveDraft>) => setDraft((now) => ({ ...now, ...change }));
  const send = () => {
    sendContents([{ content: { type: "interactive", interactive: interactiveOf(draft) } }]);
    onSent();
    onClose();
  };
  return (
    <Modal onClose={onClose} title={t.buttons} centered closeOnClickOutside={false}>
      <div className={styles.form}>
        <SegmentedControl
          value={draft.kind}
          data={[
            { value: "buttons", label: t.replyButtons },
            { value: "list", label: t.list },
          ]}
          onChange={(kind) => set({ kind: kind, choices: draft.choices.slice(0, mostChoices[kind as "list"]) })}
        />
        <Textarea
          label={t.message}
          autosize
          minRows={2}
          maxLength={bodyLength[draft.kind]}
          data-autofocus
          value={draft.body}
          error={isTooLong(draft.body, bodyLength[draft.kind]) && errors.tooLong(bodyLength[draft.kind])}
          onChange={(e) => set({ body: e.target.value })}
        />
        {draft.kind === "list" && (
          <TextInput
            label={t.listButton}
            maxLength={20}
            value={draft.button}
            onChange={(e) => set({ button: e.target.value })}
          />
        )}
        <Choices draft={draft} onChange={(choices) => set({ choices })} />
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button disabled={!isWhole(draft)} onClick={send}>
            {t.send}
          </Button>
        </Group>
      </div>
    </Modal>
  );
}

function Choices({ draft, onChange }: { draft: InteractiveDraft; onChange: (choices: Choice[]) => void }) {
  const t = useText("inbox");
  const errors = useText("errors");
  const { choices, kind } = draft;
  const change = (i: number, part: Partial<Choice>) =>
    onChange(choices.map((c, at) => (at === i ? { ...c, ...part } : c)));
  return (
    <>
      {choices.map((choice, i) => (
        <div key={i} className={styles.choice}>
          <TextInput
            aria-label={t.choice(i + 1)}
            placeholder={t.choice(i + 1)}
            maxLength={titleLength[kind]}
            value={choice.title}
            error={isTooLong(choice.title, titleLength[kind]) && errors.tooLong(titleLength[kind])}
            onChange={(e) => change(i, { title: e.target.value })}
          />
          {kind === "list" && (
            <TextInput
              aria-label={t.choiceDetail(i + 1)}
              placeholder={t.choiceDetail(i + 1)}
              maxLength={72}
              value={choice.description}
              onChange={(e) => change(i, { description: e.target.value })}
            />
          )}
        </div>
      ))}
      {choices.length < mostChoices[kind] && (
        <Button variant="subtle" size="compact-sm" className={styles.add} onClick={() => onChange([...choices, empty])}>
          {t.addChoice}
        </Button>
      )}
    </>
  );
}
