import type { Translated } from "../types";
import type { inbox as english } from "../en/inbox";

export const inbox: Translated<typeof english> = {
  title: "Kotak masuk",
};
