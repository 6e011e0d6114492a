import type { Translated } from "../types";
import type { auth as english } from "../en/auth";

export const auth: Translated<typeof english> = {
  title: "Masuk",
};
