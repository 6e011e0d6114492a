import { Button, Menu } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { send } from "../../api/client";
import { IconButton } from "../../ui/IconButton";
import { Icon } from "../../ui/icons";
import { toast, toastError } from "../../ui/toasts";
import { useDev } from "../text";
import { refreshWebhooks, type Endpoint } from "./data";

export type EndpointDialog = "test" | "secrets" | "replay" | "edit" | "delete";

/** Pauses an endpoint, or has it go on; also one that the service has disabled. */
function useStatus(endpoint: Endpoint) {
  const t = useDev();
  return useMutation({
    mutationFn: (status: "active" | "paused") => send("PATCH", `/webhook_subscriptions/${endpoint.id}`, { status }),
    onSuccess: (_, status) => {
      refreshWebhooks();
      toast(status === "active" ? t.endpointActive : t.endpointPaused);
    },
    onError: toastError,
  });
}

export function EndpointActions({ endpoint, open }: { endpoint: Endpoint; open: (dialog: EndpointDialog) => void }) {
  const t = useDev();
  const status = useStatus(endpoint);
  const usable = endpoint.status !== "disabled";
  return (
    <>
      {usable && (
        <>
          <Button variant="default" onClick={() => open("test")}>
            {t.sendTest}
          </Button>
          <Button variant="default" onClick={() => open("secrets")}>
            {t.secrets}
          </Button>
          <Button variant="default" onClick={() => open("replay")}>
            {t.replayMany}
          </Button>
        </>
      )}
      {endpoint.status !== "active" && <Button onClick={() => status.mutate("active")}>{t.enable}</Button>}
      <Menu position="bottom-end">
        <Menu.Target>
          <IconButton icon="dots" label={t.moreActions} iconSize={18} size={34} />
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Icon name="pencil" size={18} />} onClick={() => open("edit")}>
            {t.edit}
          </Menu.Item>
          {endpoint.status === "active" && (
            <Menu.Item leftSection={<Icon name="pause" size={18} />} onClick={() => status.mutate("paused")}>
              {t.pause}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<Icon name="trash" size={18} />} onClick={() => open("delete")}>
            {t.delete}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
