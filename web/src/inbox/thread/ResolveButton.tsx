import { Button } from "@mantine/core";
import type { Conversation } from "../../api/types";
import { useText } from "../../i18n";
import { useResolve } from "./useResolve";

/** Ends the conversation, or takes it up again. */
export function ResolveButton({ conversation }: { conversation: Conversation }) {
  const t = useText("inbox");
  const resolve = useResolve();
  const resolved = conversation.status === "resolved";
  return (
    <Button
      size="compact-md"
      h={32}
      px={14}
      variant={resolved ? "default" : "filled"}
      onClick={() => resolve(conversation)}
    >
      {resolved ? t.reopen : t.resolve}
    </Button>
  );
}
