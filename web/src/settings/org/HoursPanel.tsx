import { Button, Textarea } from "@mantine/core";
import { useState } from "react";
import { useText } from "../../i18n";
import { FormError } from "../../ui/FormError";
import { toast } from "../../ui/toasts";
import { useSubmit } from "../../ui/useSubmit";
import { Panel } from "../Section";
import { Choice } from "./Choice";
import { change, type Organization } from "./data";
import { DayHours } from "./DayHours";
import { weekdays, withDay } from "./hours";

/** When somebody is there, and what people are told when nobody is. */
export function HoursPanel({ settings }: { settings: Organization }) {
  const t = useText("organization");
  const common = useText("common");
  const [hours, setHours] = useState(settings.opening_hours);
  const [away, setAway] = useState(settings.away_message);
  const { form, busy, error, errorOf } = useSubmit(
    ["away_message.text"],
    () => change({ opening_hours: hours, away_message: away }),
    () => toast(common.saved),
  );
  const changed = JSON.stringify([hours, away]) !== JSON.stringify([settings.opening_hours, settings.away_message]);
  return (
    <Panel title={t.hours} hint={t.hoursHint}>
      <form {...form} aria-label={t.hours}>
        <FormError error={error} />
        <div>
          {weekdays.map((day) => (
            <DayHours
              key={day}
              day={day}
              hours={hours.find((h) => h.day === day)}
              change={(times) => setHours(withDay(hours, day, times))}
            />
          ))}
        </div>
        <Choice label={t.away} hint={t.awayHint} on={away.on} change={(on) => setAway({ ...away, on })} />
        <Textarea
          label={t.awayText}
          placeholder={t.awayExample}
          autosize
          minRows={2}
          maxLength={1000}
          required={away.on}
          value={away.text}
          error={errorOf("away_message.text")}
          onChange={(event) => setAway({ ...away, text: event.target.value })}
        />
        <Button type="submit" loading={busy} disabled={!changed}>
          {common.save}
        </Button>
      </form>
    </Panel>
  );
}
