import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { ApiError, send } from "../../api/client";
import type { Me } from "../../api/types";
import { useSecurity } from "../../settings/security/text";
import { messageOf } from "../../ui/messages";
import { Card } from "../Card";
import { enter } from "../enter";
import EnterCode from "../secondstep/EnterCode";
import { rememberedReturn } from "./way";

const route = getRouteApi("/login/sso");
const entered = () => enter(rememberedReturn());

function Refused({ why }: { why: string }) {
  const t = useSecurity();
  return (
    <Card title={t.ssoRefused} hint={why}>
      <p>
        <Link to="/login">{t.ssoAgain}</Link>
      </p>
    </Card>
  );
}

/** Where the identity provider sends people back to. What it sent along is given to the server once. */
export default function SSOPage() {
  const t = useSecurity();
  // A number in an address is read as one, and here both are texts.
  const search = route.useSearch();
  const [state, code] = [String(search.state ?? ""), String(search.code ?? "")];
  const finish = (second_step?: string) => send<Me>("POST", "/sso/finish", { state, code, second_step }, { open: true });
  const first = useQuery({ queryKey: ["sso", state], queryFn: () => finish(), enabled: state !== "" && code !== "", retry: false, gcTime: 0 });
  useEffect(() => {
    if (first.isSuccess) entered();
  }, [first.isSuccess]);
  if (!state || !code) return <Refused why={t.ssoGivenUp} />;
  if (first.error instanceof ApiError && first.error.code === "second_step_required") {
    return <EnterCode signIn={finish} entered={entered} back={() => location.assign("/login")} />;
  }
  if (first.isError) return <Refused why={messageOf(first.error)} />;
  return <Card title={t.ssoTitle} hint={t.ssoWait} />;
}
