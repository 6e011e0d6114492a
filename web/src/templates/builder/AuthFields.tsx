import { Button, Checkbox, Select, TextInput } from "@mantine/core";
import { IconButton } from "../../ui/IconButton";
import { Icon } from "../../ui/icons";
import limits from "../limits.json";
import { useTemplateText } from "../text";
import styles from "./Builder.module.css";
import type { AuthForm, OtpType } from "./form";
import { Counter } from "./TextField";

interface Props {
  auth: AuthForm;
  errorOf: (field: string) => string | undefined;
  change: (next: Partial<AuthForm>) => void;
}

/** What can be chosen of a template for one-time codes. Its texts are the provider's. */
export function AuthFields({ auth: a, errorOf, change }: Props) {
  const t = useTemplateText();
  return (
    <section className={styles.part}>
      <h2>{t.body}</h2>
      <Checkbox label={t.security} checked={a.security} onChange={(event) => change({ security: event.target.checked })} />
      <TextInput label={t.minutes} description={t.minutesHint(limits.code_minutes)} inputMode="numeric" value={a.minutes} error={errorOf("auth.minutes")}
        onChange={(event) => change({ minutes: event.target.value.replace(/\D/gu, "") })} />
      <Select label={t.otp} allowDeselect={false} value={a.otp} error={errorOf("auth.otp")} onChange={(value) => change({ otp: (value ?? "COPY_CODE") as OtpType })}
        data={Object.entries(t.otps).map(([value, label]) => ({ value, label }))} />
      <div>
        <TextInput label={t.otpText} description={t.otpTextHint} value={a.text} error={errorOf("auth.text")} onChange={(event) => change({ text: event.target.value })} />
        <div className={styles.tools}><Counter text={a.text} most={limits.button_text} /></div>
      </div>
      {a.otp !== "COPY_CODE" && (
        <>
          <TextInput label={t.autofill} value={a.autofill} error={errorOf("auth.autofill")} onChange={(event) => change({ autofill: event.target.value })} />
          <Apps auth={a} errorOf={errorOf} change={change} />
        </>
      )}
      {a.otp === "ZERO_TAP" && (
        <Checkbox label={t.terms} checked={a.terms} error={errorOf("auth.terms")} onChange={(event) => change({ terms: event.target.checked })} />
      )}
    </section>
  );
}

function Apps({ auth: { apps }, errorOf, change }: Props) {
  const t = useTemplateText();
  const set = (i: number, next: Partial<AuthForm["apps"][number]>) => change({ apps: apps.map((app, j) => (i === j ? { ...app, ...next } : app)) });
  return (
    <div className={styles.list} role="group" aria-label={t.apps}>
      {apps.map((app, i) => (
        <div key={i} className={styles.item}>
          <header>
            <span>{t.apps}</span>
            {apps.length > 1 && (
              <IconButton
                icon="close"
                label={t.removeApp(i + 1)}
                iconSize={16}
                size={28}
                onClick={() => change({ apps: apps.toSpliced(i, 1) })}
              />
            )}
          </header>
          <TextInput label={t.appPackage(i + 1)} placeholder="com.example.app" value={app.package_name} error={errorOf(`auth.apps.${i}`)} onChange={(event) => set(i, { package_name: event.target.value })} />
          <TextInput label={t.appHash(i + 1)} placeholder="K8a/AINcGX7" value={app.signature_hash} onChange={(event) => set(i, { signature_hash: event.target.value })} />
        </div>
      ))}
      {errorOf("auth.apps") && <p className={styles.error} role="alert">{errorOf("auth.apps")}</p>}
      {apps.length < limits.apps && (
        <Button className={styles.add} variant="default" leftSection={<Icon name="plus" size={16} />}
          onClick={() => change({ apps: [...apps, { package_name: "", signature_hash: "" }] })}>
          {t.addApp}
        </Button>
      )}
    </div>
  );
}
