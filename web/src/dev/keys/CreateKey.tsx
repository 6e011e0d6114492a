import { NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import { send } from "../../api/client";
import { queryClient } from "../../api/queries";
import { FormDialog } from "../../ui/Dialog";
import { useSubmit } from "../../ui/useSubmit";
import { useDev } from "../text";
import { keysQuery, type MadeKey } from "./data";

const day = 86_400_000;
const lives = ["never", "7", "30", "90", "365"] as const;

export function CreateKey({ close, show }: { close: () => void; show: (made: MadeKey) => void }) {
  const t = useDev();
  const [name, setName] = useState("");
  const [life, setLife] = useState<string>("never");
  const submit = useSubmit(
    ["name", "expires_at"],
    () => {
      const end = life === "never" ? undefined : new Date(Date.now() + Number(life) * day).toISOString();
      return send<MadeKey>("POST", "/keys", { name, expires_at: end });
    },
    (made) => {
      void queryClient.invalidateQueries(keysQuery);
      show(made);
    },
  );
  return (
    <FormDialog title={t.keyCreate} action={t.keyCreate} close={close} submit={submit}>
      <TextInput
        required
        label={t.name}
        description={t.keyNameHint}
        data-autofocus
        {...submit.field("name", name, setName)}
      />
      <NativeSelect
        label={t.expiry}
        value={life}
        error={submit.errorOf("expires_at")}
        data={lives.map((value) => ({ value, label: t.lives[value] }))}
        onChange={(event) => setLife(event.target.value)}
      />
    </FormDialog>
  );
}
