import { Button, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError, get, send } from "../api/client";
import type { LinkInfo, Me } from "../api/types";
import { useText } from "../i18n";
import { useSecurity } from "../settings/security/text";
import { ErrorState } from "../ui/ErrorState";
import { FormError } from "../ui/FormError";
import { PasswordInput } from "../ui/PasswordInput";
import { useSubmit } from "../ui/useSubmit";
import { Card } from "./Card";
import { enter } from "./enter";
import { CodeInput } from "./secondstep/CodeInput";

const route = getRouteApi("/invite/$token");

function PasswordForm({ token, link }: { token: string; link: LinkInfo }) {
  const t = useText("auth");
  const invited = link.kind === "invitation";
  const [name, setName] = useState(link.name);
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const security = useSecurity();
  const { form, busy, error, errorOf, field } = useSubmit(
    ["name", "password", "code"],
    () => send<Me>("POST", `/links/${token}`, { password, name: invited ? name : undefined, code: code || undefined }, { open: true }),
    () => enter(),
  );
  return (
    <form {...form}>
      <FormError error={error} />
      {/* Password managers keep the new password under this name. */}
      <input type="text" autoComplete="username" value={link.email} readOnly hidden />
      {invited && (
        <TextInput
          required
          label={t.name}
          autoComplete="name"
          {...field("name", name, setName)}
        />
      )}
      <PasswordInput
        required
        label={invited ? t.password : t.newPassword}
        description={t.passwordHint}
        autoComplete="new-password"
        autoFocus
        {...field("password", password, setPassword)}
      />
      {link.second_step && (
        <CodeInput
          label={security.code}
          description={security.proofHint}
          value={code}
          error={errorOf("code") && security.wrongCode}
          onChange={(event) => setCode(event.target.value)}
        />
      )}
      <Button type="submit" loading={busy} fullWidth>
        {invited ? t.join : t.change}
      </Button>
    </form>
  );
}

/** Opened by an invitation or by a link to reset a password. */
export default function InvitePage() {
  const t = useText("auth");
  const { token } = route.useParams();
  const link = useQuery({ queryKey: ["link", token], queryFn: () => get<LinkInfo>(`/links/${token}`, { open: true }) });
  if (link.error instanceof ApiError && link.error.status === 404) {
    return (
      <Card title={t.linkGone} hint={t.linkGoneHint}>
        <p>
          <Link to="/login">{t.toSignIn}</Link>
        </p>
      </Card>
    );
  }
  if (link.isError) return <ErrorState error={link.error} retry={() => void link.refetch()} />;
  if (!link.data) return null;
  const title = link.data.kind === "invitation" ? t.inviteTitle(link.data.organization) : t.resetTitle;
  return (
    <Card title={title} hint={t.inviteHint(link.data.email)}>
      <PasswordForm token={token} link={link.data} />
    </Card>
  );
}
