import { useEffect, useState, type ReactNode } from "react";
import { useText } from "../i18n";

/**
 * Shows its children after 150 ms: what loads faster than that needs no skeleton, which would only flicker. Their room is
 * kept from the start, so that what stands below does not jump.
 */
export function Later({ children }: { children: ReactNode }) {
  const t = useText("common");
  const [due, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div aria-busy="true" role="status">
      <span className="visually-hidden">{t.loading}</span>
      <div aria-hidden="true" style={due ? undefined : { visibility: "hidden" }}>{children}</div>
    </div>
  );
}
