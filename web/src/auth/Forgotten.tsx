import { Anchor, Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { ApiError, send } from "../api/client";
import { useText } from "../i18n";
import { FormError } from "../ui/FormError";
import { useSubmit } from "../ui/useSubmit";
import styles from "./Card.module.css";

/** Asks for a link by mail. It says the same whether or not there is such a user. */
export function Forgotten({ email: typed, back }: { email: string; back: () => void }) {
  const t = useText("auth");
  const [email, setEmail] = useState(typed);
  const [asked, setAsked] = useState(false);
  const { form, busy, error, field } = useSubmit(
    ["email"],
    () => send("POST", "/forgotten", { email }, { open: true }),
    () => setAsked(true),
  );
  const tooMany = error instanceof ApiError && error.status === 429 ? t.tooMany(error.retryAfter) : undefined;
  return (
    <>
      {asked ? (
        <p role="status">{t.forgottenAsked(email)}</p>
      ) : (
        <form {...form}>
          <FormError error={error} text={tooMany} />
          <TextInput
            required
            label={t.email}
            type="email"
            autoComplete="username"
            autoFocus
            {...field("email", email, setEmail)}
          />
          <Button type="submit" loading={busy} fullWidth>
            {t.forgottenAsk}
          </Button>
        </form>
      )}
      <p className={styles.foot}>
        <Anchor component="button" type="button" onClick={back}>
          {t.toSignIn}
        </Anchor>
      </p>
    </>
  );
}
