import { Menu } from "@mantine/core";
import { send } from "../api/client";
import { meQuery, queryClient, useMe } from "../api/queries";
import { useText } from "../i18n";
import { toastError } from "../ui/toasts";

/** Whether one takes new conversations. */
export function Availability() {
  const t = useText("shell");
  const { user } = useMe();
  const choose = (value: string) =>
    send("PATCH", "/me", { away: value === "away" })
      .then(() => queryClient.invalidateQueries({ queryKey: meQuery.queryKey }))
      .catch(toastError);
  return (
    <Menu.RadioGroup value={user.away ? "away" : "available"} onChange={(value) => void choose(value)}>
      <Menu.RadioItem value="available">{t.available}</Menu.RadioItem>
      <Menu.RadioItem value="away">{t.away}</Menu.RadioItem>
    </Menu.RadioGroup>
  );
}
