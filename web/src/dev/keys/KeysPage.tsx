import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { Rows } from "../../settings/Rows";
import { Section } from "../../settings/Section";
import { EmptyState } from "../../ui/EmptyState";
import { Icon } from "../../ui/icons";
import { Loaded } from "../../ui/Loaded";
import { useDev } from "../text";
import { CreateKey } from "./CreateKey";
import { keysQuery, stateOf, type Key, type MadeKey } from "./data";
import { KeyRow } from "./KeyRow";
import { NewKey } from "./NewKey";
import { RevokeKey } from "./RevokeKey";

type Dialog = { kind: "create" } | { kind: "made"; made: MadeKey } | { kind: "revoke"; key: Key };

function KeyList({ keys, revoke, create }: { keys: Key[]; revoke: (key: Key) => void; create: ReactNode }) {
  const t = useDev();
  const [active, over] = [keys.filter((key) => stateOf(key) === "active"), keys.filter((key) => stateOf(key) !== "active")];
  if (keys.length === 0) {
    return (
      <EmptyState icon="lock" title={t.keysNone} action={create}>
        {t.keysNoneHint}
      </EmptyState>
    );
  }
  return (
    <Rows label={t.keys}>
      {[...active, ...over].map((key) => (
        <KeyRow key={key.id} apiKey={key} revoke={() => revoke(key)} />
      ))}
    </Rows>
  );
}

export default function KeysPage() {
  const t = useDev();
  const keys = useQuery(keysQuery);
  const [dialog, setDialog] = useState<Dialog>();
  const close = () => setDialog(undefined);
  const create = (
    <Button inert={dialog !== undefined} leftSection={<Icon name="plus" size={18} />} onClick={() => setDialog({ kind: "create" })}>
      {t.keyCreate}
    </Button>
  );
  return (
    <Section title={t.keys} hint={t.keysHint} action={Boolean(keys.data?.length) && create}>
      <div inert={dialog !== undefined}>
        <Loaded query={keys}>{(list) => <KeyList keys={list} create={create} revoke={(key) => setDialog({ kind: "revoke", key })} />}</Loaded>
      </div>
      {dialog?.kind === "create" && <CreateKey close={close} show={(made) => setDialog({ kind: "made", made })} />}
      {dialog?.kind === "made" && <NewKey made={dialog.made} close={close} />}
      {dialog?.kind === "revoke" && <RevokeKey apiKey={dialog.key} close={close} />}
    </Section>
  );
}
