import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { numberQuery } from "../api/numbers";
import { useMe } from "../api/queries";
import type { KnownNumber } from "../api/types";
import { useText } from "../i18n";
import { Loaded } from "./Loaded";
import { Missing } from "./Missing";

interface Props {
  /** What the address says. */
  wanted: string | undefined;
  /** Where the user sees no number at all. */
  none: ReactNode;
  /** Leads to the same page for another number. */
  back: ReactNode;
  children: (number: KnownNumber) => ReactNode;
}

/** What belongs to the number that the address names, or to the newest where it names none. */
export function OfNumber({ wanted, none, back, children }: Props) {
  const t = useText("common");
  const { numbers } = useMe();
  const known = wanted === undefined ? numbers[0] : numbers.find((n) => n.phone_number_id === wanted);
  const id = wanted ?? "";
  const query = useQuery({ ...numberQuery(id), enabled: known === undefined && numbers.length > 0 });
  if (known) return children(known);
  if (numbers.length === 0) return none;
  return (
    <Loaded query={query} missing={<Missing icon="sim" title={t.noSuchNumber} back={back} />}>
      {(number) => children({ ...number, phone_number_id: id })}
    </Loaded>
  );
}
