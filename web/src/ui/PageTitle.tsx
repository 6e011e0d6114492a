import { useTitle } from "./title";

/** The page's name, on the page and in the browser's tab. The focus may be set to it where what had it is gone. */
export function PageTitle({ children, className }: { children: string; className?: string }) {
  useTitle(children);
  return <h1 className={className} tabIndex={-1}>{children}</h1>;
}
