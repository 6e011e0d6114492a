import type { Translated } from "../types";
import type { settings as english } from "../en/settings";

export const settings: Translated<typeof english> = {
  title: "Pengaturan",
};
