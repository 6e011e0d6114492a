import { useText } from "../i18n";
import { EmptyState } from "../ui/EmptyState";

export default function InboxPage() {
  const t = useText("inbox");
  return <EmptyState icon="inbox" title={t.title} />;
}
