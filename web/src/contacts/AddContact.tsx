import { TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { send } from "../api/client";
import { useMe } from "../api/queries";
import { useText } from "../i18n";
import { FormDialog } from "../ui/Dialog";
import { useSubmit } from "../ui/useSubmit";
import { NumberSelect } from "../ui/NumberSelect";

/** Makes a contact by hand. */
export function AddContact({ close }: { close: () => void }) {
  const t = useText("contacts");
  const { numbers } = useMe();
  const navigate = useNavigate();
  const client = useQueryClient();
  const [number, setNumber] = useState(numbers[0]?.phone_number_id);
  const [phone, setPhone] = useState("");
  const [name, setName] = useState("");
  const submit = useSubmit(
    ["phone_number", "name"],
    () => send<{ id: string }>("POST", `/${number}/contacts`, { phone_number: phone.replace(/[\s()./-]/g, ""), name: name || undefined }),
    ({ id }) => {
      void client.invalidateQueries({ queryKey: ["contacts"] });
      void navigate({ to: "/contacts/$id", params: { id } });
    },
  );
  return (
    <FormDialog title={t.add} action={t.save} close={close} submit={submit}>
      <TextInput label={t.phone} description={t.phoneHint} type="tel" data-autofocus value={phone} error={submit.errorOf("phone_number")}
        onChange={(event) => setPhone(event.target.value)} />
      <TextInput label={t.name} {...submit.field("name", name, setName)} />
      <NumberSelect label={t.into} value={number} onChange={setNumber} />
    </FormDialog>
  );
}
