import { Anchor, Button, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import { ApiError, get, send } from "../api/client";
import { part } from "../api/part";
import type { Me } from "../api/types";
import { useText } from "../i18n";
import { FormError } from "../ui/FormError";
import { PasswordInput } from "../ui/PasswordInput";
import { useSubmit } from "../ui/useSubmit";
import { Card } from "./Card";
import styles from "./Card.module.css";
import { enter } from "./enter";
import { Forgotten } from "./Forgotten";

const SSOButton = lazy(() => part(() => import("./sso/SSOButton")));
const EnterCode = lazy(() => part(() => import("./secondstep/EnterCode")));
const route = getRouteApi("/login");

/** How people can sign in: whether links can be mailed to those who forgot, and at which identity provider. */
interface Ways {
  needed: boolean;
  forgotten: boolean;
  demo: boolean;
  sso: string | null;
}

/** A server without users needs setting up first. Returns how people can sign in. */
function useSetupFirst(): Ways | undefined {
  const navigate = useNavigate();
  const ways = useQuery({ queryKey: ["setup"], queryFn: () => get<Ways>("/setup") }).data;
  const needed = ways?.needed;
  useEffect(() => {
    if (needed) void navigate({ to: "/setup", replace: true });
  }, [needed, navigate]);
  return ways;
}

/** Signs in, or tells that a code is asked for besides the password. */
async function signIn(email: string, password: string): Promise<boolean> {
  try {
    await send<Me>("POST", "/session", { email, password }, { open: true });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === "second_step_required") return false;
    throw error;
  }
}

export default function LoginPage() {
  const t = useText("auth");
  const { return: back } = route.useSearch();
  const ways = useSetupFirst();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [step, setStep] = useState<"password" | "code" | "forgotten">("password");
  const start = () => setStep("password");
  if (step === "forgotten") {
    return (
      <Card title={t.resetTitle} hint={t.forgottenHint}>
        <Forgotten email={email} back={start} />
      </Card>
    );
  }
  if (step === "code") {
    const withCode = (code: string) => send<Me>("POST", "/session", { email, password, code }, { open: true });
    return (
      <Suspense>
        <EnterCode signIn={withCode} entered={() => enter(back)} back={start} />
      </Suspense>
    );
  }
  return (
    <Card title={t.signInTitle} hint={ways?.demo ? t.demo : undefined}>
      <PasswordForm
        email={[email, setEmail]}
        password={[password, setPassword]}
        done={(entered) => (entered ? enter(back) : setStep("code"))}
      />
      {ways?.sso && (
        <Suspense>
          <SSOButton name={ways.sso} back={back} />
        </Suspense>
      )}
      <p className={styles.foot}>
        {ways?.forgotten ? (
          <Anchor component="button" type="button" onClick={() => setStep("forgotten")}>
            {t.forgotten}
          </Anchor>
        ) : (
          t.forgot
        )}
      </p>
    </Card>
  );
}

type Value = [value: string, change: (value: string) => void];

function PasswordForm(props: { email: Value; password: Value; done: (entered: boolean) => void }) {
  const t = useText("auth");
  const { form, busy, error, field } = useSubmit(
    ["email", "password"],
    () => signIn(props.email[0], props.password[0]),
    props.done,
  );
  const refusal = useRefusal(error);
  return (
    <form {...form}>
      <FormError error={error} text={refusal} />
      <TextInput required label={t.email} type="email" autoComplete="username" autoFocus {...field("email", ...props.email)} />
      <PasswordInput required label={t.password} autoComplete="current-password" {...field("password", ...props.password)} />
      <Button type="submit" loading={busy} fullWidth>
        {t.signIn}
      </Button>
    </form>
  );
}

/** Why the server did not let somebody in, in our words. */
function useRefusal(error: unknown): string | undefined {
  const t = useText("auth");
  if (!(error instanceof ApiError)) return undefined;
  if (error.code === "invalid_credentials") return t.wrong;
  return error.status === 429 ? t.tooMany(error.retryAfter) : undefined;
}
