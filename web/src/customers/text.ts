import { useLanguage } from "../i18n";
import { customers as english } from "../i18n/en/customers";
import { customers as indonesian } from "../i18n/id/customers";

/** The texts of these pages come with them. */
export function useCustomers(): typeof english {
  return useLanguage() === "id" ? indonesian : english;
}
