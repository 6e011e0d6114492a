import { Button, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState, type ChangeEvent } from "react";
import { get, send } from "../api/client";
import type { Me } from "../api/types";
import { useText } from "../i18n";
import { ErrorState } from "../ui/ErrorState";
import { FormError } from "../ui/FormError";
import { PasswordInput } from "../ui/PasswordInput";
import { useSubmit } from "../ui/useSubmit";
import { Card } from "./Card";
import { enter } from "./enter";

const fields = ["token", "organization", "name", "email", "password"] as const;

/** The log has the token in the address. */
const tokenInAddress = () => window.location.hash.slice(1);

export function SetupForm() {
  const t = useText("auth");
  const [known, setKnown] = useState(tokenInAddress);
  const [values, setValues] = useState({ token: known, organization: "", name: "", email: "", password: "" });
  useEffect(() => {
    const take = () => {
      const token = tokenInAddress();
      if (!token) return;
      setKnown(token);
      setValues((before) => ({ ...before, token }));
    };
    window.addEventListener("hashchange", take); // the page may be open already when the address is pasted
    return () => window.removeEventListener("hashchange", take);
  }, []);
  const { form, busy, error, errorOf } = useSubmit(
    [...fields],
    () => send<Me>("POST", "/setup", values, { open: true }),
    () => enter(),
  );
  const field = (name: (typeof fields)[number]) => ({
    label: t[name],
    required: true,
    value: values[name],
    error: errorOf(name),
    onChange: (event: ChangeEvent<HTMLInputElement>) => setValues({ ...values, [name]: event.target.value }),
  });
  return (
    <form {...form}>
      <FormError error={error} />
      <TextInput {...field("token")} description={known ? undefined : t.tokenHint} autoComplete="off" autoFocus={!known} />
      <TextInput {...field("organization")} autoComplete="organization" autoFocus={!!known} />
      <TextInput {...field("name")} autoComplete="name" />
      <TextInput {...field("email")} type="email" autoComplete="username" />
      <PasswordInput {...field("password")} description={t.passwordHint} autoComplete="new-password" />
      <Button type="submit" loading={busy} fullWidth>
        {t.setup}
      </Button>
    </form>
  );
}

/** The first start: makes the organization's owner, for whoever can read the server's log. */
export default function SetupPage() {
  const t = useText("auth");
  const setup = useQuery({ queryKey: ["setup"], queryFn: () => get<{ needed: boolean }>("/setup") });
  if (setup.isError) return <ErrorState error={setup.error} retry={() => void setup.refetch()} />;
  if (!setup.data) return null;
  return (
    <Card title={t.setupTitle} hint={setup.data.needed ? t.setupHint : t.setupDone}>
      {setup.data.needed ? <SetupForm /> : <Link to="/login">{t.toSignIn}</Link>}
    </Card>
  );
}
