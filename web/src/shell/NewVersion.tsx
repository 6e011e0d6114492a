import { Button } from "@mantine/core";
import { useText } from "../i18n";
import { EmptyState } from "../ui/EmptyState";

/** In the place of a part whose file is gone with the old version. What was written is kept as a draft. */
export function NewVersion() {
  const t = useText("common");
  return (
    <EmptyState
      icon="refresh"
      title={t.newVersion}
      action={<Button onClick={() => location.reload()}>{t.reloadNow}</Button>}
    >
      {t.newVersionBody}
    </EmptyState>
  );
}
