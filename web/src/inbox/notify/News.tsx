import { useNotifications } from "./useNotifications";

/** For the shell, which loads it when everything else is there. */
export default function News() {
  useNotifications();
  return null;
}
