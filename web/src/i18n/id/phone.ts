import type { Translated } from "../types";
import type { phone as english } from "../en/phone";

export const phone: Translated<typeof english> = {
  title: "Ponsel",
};
