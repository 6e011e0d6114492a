import { MultiSelect, NativeSelect, Select, type ComboboxItem, type MultiSelectProps, type OptionsFilter, type SelectProps } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState, type FocusEvent } from "react";
import { numberSearchQuery, useNumbers, type FoundNumber } from "../api/numbers";
import { useMe } from "../api/queries";
import type { KnownNumber } from "../api/types";
import { useText } from "../i18n";
import { messageOf } from "./messages";
import styles from "./NumberSelect.module.css";
import { numberName, phoneOf } from "./phone";

interface Option extends ComboboxItem {
  phone?: string | null;
}

type NameOf = (number: KnownNumber) => string;

const optionOf = (n: KnownNumber, nameOf: NameOf): Option => ({ value: n.phone_number_id, label: nameOf(n), phone: n.name && phoneOf(n.phone_number) });

/** What is chosen, also before it is known what it is called. */
const chosenOption = (id: string, { number, coming }: FoundNumber, nameOf: NameOf, loading: string): Option =>
  number ? optionOf(number, nameOf) : { value: id, label: coming ? loading : id };

/** Among thousands some are called alike. */
const renderOption: SelectProps["renderOption"] = ({ option }) => {
  const { label, phone }: Option = option;
  return (
    <span className={styles.option}>
      {label} {phone && <small>{phone}</small>}
    </span>
  );
};

/** So that what one types takes the place of the name. */
const selectText = (event: FocusEvent<HTMLInputElement>) => event.currentTarget.select();
const searching = { searchable: true, renderOption, onFocus: selectText };

/**
 * What a field offers: all numbers, or where there are more than the page knows, the newest, and those that the server finds
 * while somebody types.
 */
function useChoices(ids: string[], nameOf: NameOf = numberName) {
  const t = useText("common");
  const { numbers, more_numbers: more } = useMe();
  const chosen = useNumbers(ids).map((found, i) => chosenOption(ids[i] ?? "", found, nameOf, t.loading));
  const [typed, setTyped] = useState("");
  const words = chosen.some(({ label }) => label === typed) ? "" : typed.trim(); // a field shows the name of what is chosen
  const [asked] = useDebouncedValue(words, 250);
  const found = useQuery({ ...numberSearchQuery(asked), enabled: more && asked !== "" });
  const shown = (words === "" ? numbers : (found.data ?? [])).map((n) => optionOf(n, nameOf));
  const others = chosen.filter(({ value }) => !shown.some((option) => option.value === value));
  const data = [...others, ...shown]; // a field takes names from here
  if (!more) return { data };
  const filter: OptionsFilter = ({ options }) => options.slice(words === "" ? 0 : others.length, mostShown);
  const loading = words !== "" && (words !== asked || found.isFetching);
  const nothingFoundMessage = loading ? t.loading : found.error ? messageOf(found.error) : t.nothingFound;
  return { ...searching, data, filter, loading, nothingFoundMessage, searchValue: typed, onSearchChange: setTyped };
}

/** More are not looked through, but searched. */
const mostShown = 100;

interface Props extends Omit<SelectProps, "data" | "value" | "onChange"> {
  value: string | null | undefined;
  onChange: (number: string | undefined) => void;
  /** What it says while no number is chosen; without it, one has to be. */
  any?: string;
  /** The browser's own list, as long as all numbers are known. */
  native?: boolean;
  nameOf?: NameOf;
}

/** Chooses one of the business's numbers, also among thousands. */
export function NumberSelect({ native, ...props }: Props) {
  const { more_numbers: more } = useMe();
  return native && !more ? <Native {...props} /> : <Searchable {...props} />;
}

function Searchable({ value, onChange, any, nameOf, ...props }: Props) {
  const choices = useChoices(value ? [value] : [], nameOf);
  const optional = any !== undefined;
  return (
    <Select {...props} {...choices} value={value ?? null} placeholder={any} clearable={optional} allowDeselect={optional}
      onChange={(number) => onChange(number ?? undefined)} />
  );
}

function Native({ value, onChange, any, nameOf, label, size, className, "aria-label": name }: Props) {
  const { data } = useChoices(value ? [value] : [], nameOf);
  const none = any === undefined ? [] : [{ value: "", label: any }];
  return (
    <NativeSelect label={label} aria-label={name} size={size} className={className} value={value ?? ""}
      data={[...none, ...data.map((option) => ({ value: option.value, label: option.label }))]}
      onChange={(event) => onChange(event.currentTarget.value || undefined)} />
  );
}

/** Chooses several of the business's numbers. */
export function NumbersSelect(props: Omit<MultiSelectProps, "data"> & { value: string[] }) {
  return <MultiSelect {...props} {...useChoices(props.value)} />;
}
