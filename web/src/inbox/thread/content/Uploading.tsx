import { Progress } from "@mantine/core";
import { useText } from "../../../i18n";

/** How much of a file has arrived. */
export function Uploading({ progress }: { progress: number | null }) {
  const t = useText("inbox");
  if (progress === null) return null;
  return <Progress value={progress * 100} size="xs" mt={6} aria-label={t.uploading} />;
}
