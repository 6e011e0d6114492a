import { Store, useStore } from "../ui/store";

/** Whether the phone stands beside the inbox. */
const opened = new Store(false);

export const useDrawer = () => useStore(opened);
export const openDrawer = (open: boolean) => opened.set(open);
