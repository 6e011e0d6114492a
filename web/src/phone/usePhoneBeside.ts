import { useMediaQuery } from "@mantine/hooks";

/** Whether the phone can stand beside the inbox: in a wide window, and not on the phone's own page. */
export function usePhoneBeside(): boolean {
  const wide = useMediaQuery("(min-width: 1100px)", false, { getInitialValueInEffect: false });
  return wide && !window.location.pathname.startsWith("/phone");
}
