import { Button, FileButton, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { send } from "../api/client";
import { queryClient } from "../api/queries";
import { Panel } from "../settings/Section";
import { FormError } from "../ui/FormError";
import { Loaded } from "../ui/Loaded";
import { toast, toastError } from "../ui/toasts";
import { useEdited } from "../ui/useEdited";
import { useSubmit } from "../ui/useSubmit";
import { profileQuery, sendPicture, type Profile } from "./data";
import styles from "./Numbers.module.css";
import { useNumbers } from "./text";

/** The profile is the provider's: it is read from there, and changed there. */
export function ProfilePanel({ id }: { id: string }) {
  const t = useNumbers();
  const query = useQuery(profileQuery(id));
  return (
    <Panel title={t.profile} hint={t.profileHint}>
      <Loaded query={query}>
        {(profile) => (
          <>
            <Picture id={id} profile={profile} />
            <ProfileForm id={id} profile={profile} />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function Picture({ id, profile }: { id: string; profile: Profile }) {
  const t = useNumbers();
  const [busy, setBusy] = useState(false);
  const choose = (file: File | null) => {
    if (!file) return;
    setBusy(true);
    sendPicture(id, file)
      .then((now) => {
        queryClient.setQueryData(profileQuery(id).queryKey, now);
        toast(t.pictureSaved);
      }, toastError)
      .finally(() => setBusy(false));
  };
  return (
    <div className={styles.picture}>
      <FileButton accept="image/jpeg,image/png" onChange={choose} inputProps={{ "aria-label": t.picture }}>
        {(props) => (
          <Button variant="default" loading={busy} {...props}>
            {t.pictureChange}
          </Button>
        )}
      </FileButton>
      {profile.picture_url ? (
        <span>
          {t.pictureSet}{" "}
          <a href={profile.picture_url} target="_blank" rel="noreferrer">
            {t.pictureOpen}
          </a>
        </span>
      ) : (
        <span>{t.pictureNone}</span>
      )}
      <small>{t.pictureHint}</small>
    </div>
  );
}

type Fields = Omit<Profile, "picture_url" | "websites"> & { site1: string; site2: string };

/** Only what differs is sent: the provider refuses some fields when they are empty. */
export function changesOf(before: Profile, now: Fields): Record<string, unknown> {
  const change: Record<string, unknown> = {};
  for (const field of ["about", "address", "description", "email", "vertical"] as const) {
    if (now[field] !== before[field]) change[field] = now[field];
  }
  const websites = [now.site1, now.site2].map((site) => site.trim()).filter(Boolean);
  if (websites.join("\n") !== before.websites.join("\n")) change.websites = websites;
  return change;
}

function ProfileForm({ id, profile }: { id: string; profile: Profile }) {
  const t = useNumbers();
  const [site1 = "", site2 = ""] = profile.websites;
  const { now, edit, saved } = useEdited<Fields>({ ...profile, site1, site2 });
  const submit = useSubmit(
    ["about", "address", "description", "email", "vertical", "websites"],
    async () => ({ sent: now, profile: await send<Profile>("PATCH", `/${id}/number/profile`, changesOf(profile, now)) }),
    (done) => {
      queryClient.setQueryData(profileQuery(id).queryKey, done.profile);
      saved(done.sent);
      toast(t.saved);
    },
  );
  const changed = Object.keys(changesOf(profile, now)).length > 0;
  const field = (name: keyof Fields, label: string, maxLength: number) => ({
    label, maxLength, value: now[name], error: submit.errorOf(name.startsWith("site") ? "websites" : name),
    onChange: (event: { target: { value: string } }) => edit({ [name]: event.target.value }),
  });
  const kinds = [...Object.entries(t.verticals).map(([value, label]) => ({ value, label }))];
  return (
    <form {...submit.form}>
      <FormError error={submit.error} />
      <TextInput {...field("about", t.about, 139)} />
      <Textarea autosize minRows={2} maxRows={6} {...field("description", t.description, 512)} />
      <TextInput {...field("address", t.address, 256)} />
      <TextInput type="email" {...field("email", t.email, 128)} />
      <TextInput type="url" placeholder="https://" {...field("site1", t.website(1), 256)} />
      <TextInput type="url" placeholder="https://" {...field("site2", t.website(2), 256)} />
      <NativeSelect
        label={t.vertical}
        value={now.vertical}
        error={submit.errorOf("vertical")}
        data={[...(profile.vertical in t.verticals ? [] : [{ value: profile.vertical, label: t.verticalNone }]), ...kinds]}
        onChange={(event) => edit({ vertical: event.target.value })}
      />
      <Button type="submit" loading={submit.busy} disabled={!changed}>
        {t.save}
      </Button>
    </form>
  );
}
