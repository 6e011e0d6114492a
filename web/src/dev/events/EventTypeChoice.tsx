import { useQuery } from "@tanstack/react-query";
import { Choice } from "../parts/Choice";
import { useDev } from "../text";
import { eventTypesQuery } from "./data";

export function EventTypeChoice({ value, change }: { value: string | undefined; change: (value: string | undefined) => void }) {
  const t = useDev();
  const types = useQuery(eventTypesQuery).data ?? [];
  return <Choice label={t.event} any={t.any} value={value} options={types.map(({ type }) => ({ value: type, label: type }))} change={change} />;
}
