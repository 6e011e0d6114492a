import { Anchor, Button } from "@mantine/core";
import { useState } from "react";
import { ApiError, send } from "../../api/client";
import type { Me } from "../../api/types";
import { useText } from "../../i18n";
import { useSecurity } from "../../settings/security/text";
import { FormError } from "../../ui/FormError";
import { useSubmit } from "../../ui/useSubmit";
import { Card } from "../Card";
import styles from "../Card.module.css";
import { CodeInput } from "./CodeInput";

/** Asks for the second step of signing in. The password was right; it goes along with the code once more. */
export default function EnterCode(props: { email: string; password: string; entered: () => void; back: () => void }) {
  const t = useSecurity();
  const auth = useText("auth");
  const [code, setCode] = useState("");
  const { email, password } = props;
  const { form, busy, error } = useSubmit(
    [],
    () => send<Me>("POST", "/session", { email, password, code }, { open: true }),
    props.entered,
  );
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
