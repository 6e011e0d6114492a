import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { send } from "../../api/client";
import { useMe } from "../../api/queries";
import { useSecurity } from "../../settings/security/text";
import { CopyField } from "../../ui/CopyField";
import { FormError } from "../../ui/FormError";
import { Loaded } from "../../ui/Loaded";
import { PasswordInput } from "../../ui/PasswordInput";
import { QrCode } from "../../ui/QrCode";
import { useSubmit } from "../../ui/useSubmit";
import { CodeInput } from "./CodeInput";
import { RecoveryCodes } from "./RecoveryCodes";
import styles from "./secondstep.module.css";

interface Begun {
  secret: string;
  address: string;
  password_needed: boolean;
}

/** In groups, as people read a key to a phone. */
const inGroups = (secret: string) => secret.match(/.{1,4}/gu)?.join(" ") ?? secret;

function Scan({ begun, confirmed }: { begun: Begun; confirmed: (codes: string[]) => void }) {
  const t = useSecurity();
  const { user } = useMe();
  const [code, setCode] = useState("");
  const [password, setPassword] = useState("");
  const { form, busy, error, field } = useSubmit(
    begun.password_needed ? ["code", "password"] : ["code"],
    () => send<{ recovery_codes: string[] }>("POST", "/me/second-step/confirm", { code, ...(begun.password_needed && { password }) }),
    (made) => confirmed(made.recovery_codes),
  );
  return (
    <form {...form} className={styles.steps}>
      <FormError error={error} />
      <p>{t.scan}</p>
      <div className={styles.scan}>
        <QrCode value={begun.address} label={t.scanLabel} />
      </div>
      <CopyField label={t.secret} value={inGroups(begun.secret)} />
      <CodeInput
        label={t.appCode}
        inputMode="numeric"
        autoFocus
        {...field("code", code, setCode)}
      />
      {begun.password_needed && (
        <>
          <input type="text" autoComplete="username" value={user.email} readOnly hidden />
          <PasswordInput
            required
            label={t.password}
            description={t.passwordHint}
            autoComplete="current-password"
            {...field("password", password, setPassword)}
          />
        </>
      )}
      <Button type="submit" fullWidth loading={busy}>
        {t.confirm}
      </Button>
    </form>
  );
}

/** Leads through the set-up: scan, confirm with a code, store the codes for recovery. */
export function SetUp({ confirmed, done }: { confirmed?: () => void; done: () => void }) {
  const [codes, setCodes] = useState<string[]>();
  // Each beginning makes another secret: what is on the screen stays until it is confirmed or given up.
  const begun = useQuery({
    queryKey: ["second-step", "begun"],
    queryFn: () => send<Begun>("POST", "/me/second-step"),
    gcTime: 0,
    staleTime: "static", // not even when everything is fetched again
  });
  if (codes) return <RecoveryCodes codes={codes} done={done} />;
  return (
    <Loaded query={begun}>
      {(made) => (
        <Scan
          begun={made}
          confirmed={(recovery) => {
            setCodes(recovery);
            confirmed?.();
          }}
        />
      )}
    </Loaded>
  );
}
