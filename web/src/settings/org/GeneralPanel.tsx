import { Button, Select, TextInput } from "@mantine/core";
import { useState } from "react";
import { useText } from "../../i18n";
import { FormError } from "../../ui/FormError";
import { toast } from "../../ui/toasts";
import { useSubmit } from "../../ui/useSubmit";
import { Panel } from "../Section";
import { change, type Organization } from "./data";

/** The zones that this browser knows, and the one that is set, which it may call by another name. */
const zones = (set: string) => [...new Set(["UTC", set, ...Intl.supportedValuesOf("timeZone")])];

export function GeneralPanel({ settings }: { settings: Organization }) {
  const t = useText("organization");
  const common = useText("common");
  const [name, setName] = useState(settings.name);
  const [zone, setZone] = useState(settings.time_zone);
  const { form, busy, error, errorOf, field } = useSubmit(
    ["name", "time_zone"],
    () => change({ name, time_zone: zone }),
    () => toast(common.saved),
  );
  return (
    <Panel title={t.general}>
      <form {...form}>
        <FormError error={error} />
        <TextInput
          required
          label={t.name}
          {...field("name", name, setName)}
        />
        <Select
          searchable
          allowDeselect={false}
          label={t.timeZone}
          description={t.timeZoneHint}
          data={zones(settings.time_zone)}
          limit={100}
          value={zone}
          error={errorOf("time_zone")}
          onChange={(value) => setZone(value ?? "UTC")}
        />
        <Button type="submit" loading={busy} disabled={name.trim() === settings.name && zone === settings.time_zone}>
          {common.save}
        </Button>
      </form>
    </Panel>
  );
}
