import { Anchor, Button } from "@mantine/core";
import { useState } from "react";
import { ApiError } from "../../api/client";
import { useText } from "../../i18n";
import { useSecurity } from "../../settings/security/text";
import { FormError } from "../../ui/FormError";
import { useSubmit } from "../../ui/useSubmit";
import { Card } from "../Card";
import styles from "../Card.module.css";
import { CodeInput } from "./CodeInput";

/** Asks for the second step of signing in. The first one was right, and goes along with the code once more. */
export default function EnterCode(props: { signIn: (code: string) => Promise<unknown>; entered: () => void; back: () => void }) {
  const t = useSecurity();
  const auth = useText("auth");
  const [code, setCode] = useState("");
  const { form, busy, error } = useSubmit([], () => props.signIn(code), props.entered);
  const refused = error instanceof ApiError && error.status === 401 ? t.wrongCode : undefined;
  const tooMany = error instanceof ApiError && error.status === 429 ? auth.tooMany(error.retryAfter) : undefined;
  return (
    <Card title={t.enterTitle} hint={t.enterHint}>
      <form {...form}>
        {!refused && <FormError error={error} text={tooMany} />}
        <CodeInput autoFocus label={t.code} value={code} error={refused} onChange={(event) => setCode(event.target.value)} />
        <Button type="submit" loading={busy} fullWidth>
          {t.enter}
        </Button>
      </form>
      <p className={styles.foot}>
        <Anchor component="button" type="button" onClick={props.back}>
          {t.back}
        </Anchor>
      </p>
    </Card>
  );
}
