import { Select } from "@mantine/core";
import { useMe } from "../../api/queries";
import type { Role, Visibility } from "../../api/types";
import { useText } from "../../i18n";

export interface RoleValues {
  role: Role;
  sees: Visibility;
}

const options = (names: Record<string, string>) => Object.entries(names).map(([value, label]) => ({ value, label }));

/** What somebody may do and see. Only an owner can make owners. */
export function RoleFields(props: {
  values: RoleValues;
  change: (values: RoleValues) => void;
  errorOf: (field: string) => string | undefined;
}) {
  const t = useText("settings");
  const { user } = useMe();
  const roles = options(t.roleNames).filter((option) => option.value !== "owner" || user.role === "owner");
  return (
    <>
      <Select
        label={t.role}
        allowDeselect={false}
        data={roles}
        value={props.values.role}
        error={props.errorOf("role")}
        onChange={(role) => props.change({ ...props.values, role: role as Role })}
      />
      <Select
        label={t.sees}
        allowDeselect={false}
        data={options(t.seesNames)}
        value={props.values.sees}
        error={props.errorOf("sees")}
        onChange={(sees) => props.change({ ...props.values, sees: sees as Visibility })}
      />
    </>
  );
}
