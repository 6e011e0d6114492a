import { useText } from "../i18n";
import { EmptyState } from "../ui/EmptyState";

export default function PhonePage() {
  const t = useText("phone");
  return <EmptyState icon="phone" title={t.title} />;
}
