import { Button, Divider } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { send } from "../../api/client";
import { useSecurity } from "../../settings/security/text";
import { FormError } from "../../ui/FormError";
import { rememberReturn } from "./way";

/** Leads to the identity provider, which leads back to the page of SSOPage. */
export default function SSOButton({ name, back }: { name: string; back?: string }) {
  const t = useSecurity();
  const begin = useMutation({
    mutationFn: () => send<{ address: string }>("POST", "/sso/begin", {}, { open: true }),
    onSuccess: ({ address }) => {
      rememberReturn(back);
      location.assign(address);
    },
  });
  return (
    <>
      <Divider label={t.ssoOr} my={16} />
      <FormError error={begin.error} />
      <Button variant="default" fullWidth loading={begin.isPending || begin.isSuccess} onClick={() => begin.mutate()}>
        {t.ssoWith(name)}
      </Button>
    </>
  );
}
