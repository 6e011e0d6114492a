import { NativeSelect, Skeleton, Switch } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useNumber } from "../api/numbers";
import { useMe } from "../api/queries";
import type { Handset, KnownNumber } from "../api/types";
import { useText } from "../i18n";
import { Avatar } from "../ui/Avatar";
import { EmptyState } from "../ui/EmptyState";
import { ErrorState } from "../ui/ErrorState";
import { Icon } from "../ui/icons";
import { Later } from "../ui/Later";
import { NumberSelect } from "../ui/NumberSelect";
import { numberName, phoneOf } from "../ui/phone";
import { toastError } from "../ui/toasts";
import { Chat } from "./Chat";
import { Composer } from "./Composer";
import { handsetsQuery, useChangeHandset, useWrite, type PhoneMessage, type Writing } from "./data";
import { HandsetForm } from "./HandsetForm";
import styles from "./Phone.module.css";

/** Whose phone is wanted, and for which number: those of a conversation. */
export interface About {
  phone: string | null;
  number: string;
}

/** A handset with its controls. It stands by itself, or beside the inbox. */
export function PhonePanel({ about }: { about?: About }) {
  const t = useText("phone");
  const me = useMe();
  const handsets = useQuery({ ...handsetsQuery, enabled: me.simulator });
  if (!me.simulator) {
    return <EmptyState icon="phone" title={t.noSimulator}>{t.noSimulatorBody}</EmptyState>;
  }
  if (me.numbers.length === 0) {
    return <EmptyState icon="phone" title={t.noNumbers}>{t.noNumbersBody}</EmptyState>;
  }
  if (handsets.data) {
    return <Panel handsets={handsets.data} about={about} />;
  }
  if (handsets.error) return <ErrorState error={handsets.error} retry={() => void handsets.refetch()} />;
  return <OnItsWay />;
}

function OnItsWay() {
  return (
    <Later>
      <div className={styles.panel}>
        <Skeleton height={56} />
        <Skeleton height={480} radius={28} />
      </div>
    </Later>
  );
}

/** The choice outlives the page, unless something else is wanted. */
function useChoice(key: string, wanted?: string): [string | null, (id: string) => void] {
  const [id, setID] = useState(() => wanted ?? sessionStorage.getItem(key));
  const choose = (next: string) => {
    sessionStorage.setItem(key, next);
    setID(next);
  };
  return [id, choose];
}

/** Among numbers that are called alike, too. */
const nameOf = (n: KnownNumber) => [n.name, phoneOf(n.phone_number)].filter(Boolean).join(" · ");

function Panel({ handsets, about }: { handsets: Handset[]; about?: About }) {
  const t = useText("phone");
  const theirs = handsets.find((one) => one.phone_number === about?.phone);
  const { numbers } = useMe();
  const [handsetId, chooseHandset] = useChoice("parley-handset", theirs?.id);
  const [numberId, chooseNumber] = useChoice("parley-phone-number", about?.number);
  const chosen = useNumber(numberId);
  const handset = handsets.find((one) => one.id === handsetId) ?? handsets[0];
  const number = chosen.number ?? numbers.toSorted((a, b) => a.name.localeCompare(b.name))[0];
  const [adding, setAdding] = useState(false);
  const named = (one: Handset) => `${one.name}${one.unread ? ` (${t.unread(one.unread)})` : ""} · ${phoneOf(one.phone_number)}`;
  if (!handset || !number || chosen.coming) return <OnItsWay />;
  return (
    <section className={styles.panel} aria-label={t.title}>
      <div className={styles.choices}>
        <NativeSelect
          label={t.writeAs}
          value={handset.id}
          data={handsets.map((one) => ({ value: one.id, label: named(one) }))}
          onChange={(event) => chooseHandset(event.currentTarget.value)}
        />
        <button type="button" className={styles.add} aria-label={t.add} title={t.add} onClick={() => setAdding(true)}>
          <Icon name="plus" />
        </button>
        {numbers.length > 1 && (
          <NumberSelect native label={t.writeTo} value={number.phone_number_id} nameOf={nameOf} onChange={(id) => id && chooseNumber(id)} />
        )}
      </div>
      <Device key={`${handset.id} ${number.phone_number_id}`} handset={handset} number={number} />
      <HandsetForm opened={adding} close={() => setAdding(false)} added={chooseHandset} />
    </section>
  );
}

/** What the person holds in the hand. */
function Device({ handset, number }: { handset: Handset; number: KnownNumber }) {
  const t = useText("phone");
  const [quoted, setQuoted] = useState<PhoneMessage | null>(null);
  const sending = useWrite(handset.id, number.phone_number_id);
  const write = async (writing: Writing) => {
    const quote = writing.type === "reaction" ? undefined : quoted?.id;
    try {
      await sending.mutateAsync({ ...writing, quote });
      if (quote) setQuoted(null);
      return true;
    } catch (error) {
      toastError(error);
      return false;
    }
  };
  const off = !handset.online || handset.blocked;
  return (
    <div className={styles.device} data-off={!handset.online}>
      <header className={styles.head}>
        <Avatar name={numberName(number)} id={number.phone_number_id} size={36} />
        <div className={styles.who}>
          <b>{numberName(number)}</b>
          <small>{phoneOf(number.phone_number) || t.business}</small>
        </div>
        <Switches handset={handset} />
      </header>
      <Chat handset={handset} number={number} write={(writing) => void write(writing)} quote={setQuoted} />
      {off && (
        <p className={styles.note} role="status">
          <Icon name="info" size={18} /> {handset.online ? t.blockedNote : t.offlineNote}
        </p>
      )}
      <Composer business={numberName(number)} disabled={off} quoted={quoted} unquote={() => setQuoted(null)} write={write} />
    </div>
  );
}

function Switches({ handset }: { handset: Handset }) {
  const t = useText("phone");
  const change = useChangeHandset(handset.id);
  const set = (what: { online?: boolean; blocked?: boolean }) => change.mutate(what, { onError: toastError });
  return (
    <div className={styles.switches} role="group" aria-label={t.settings}>
      <Switch size="xs" label={t.online} checked={handset.online} onChange={(event) => set({ online: event.currentTarget.checked })} />
      <Switch size="xs" label={t.blocks} checked={handset.blocked} onChange={(event) => set({ blocked: event.currentTarget.checked })} />
    </div>
  );
}
