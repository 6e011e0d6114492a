import { useQuery } from "@tanstack/react-query";
import { Navigate } from "@tanstack/react-router";
import { ApiError } from "../../api/client";
import { Section } from "../../settings/Section";
import { EmptyState } from "../../ui/EmptyState";
import { Loaded } from "../../ui/Loaded";
import { phoneOf } from "../../ui/phone";
import { useTitle } from "../../ui/title";
import styles from "../parts/console.module.css";
import { useFilters } from "../parts/filters";
import { useDev } from "../text";
import { storyQuery, type Story } from "./data";
import { StepRow } from "./StepRow";

function Told({ story }: { story: Story }) {
  const t = useDev();
  const people = story.contacts.map((contact) => contact.name ?? phoneOf(contact.phone_number) ?? contact.id);
  return (
    <>
      {people.length > 0 && <p>{t.storyWith(people.join(", "))}</p>}
      {story.steps.length === 0 ? (
        <p>{t.storyEmpty}</p>
      ) : (
        <ol className={styles.times} aria-label={t.story}>
          {story.steps.map((step, index) => (
            <StepRow key={index} step={step} />
          ))}
        </ol>
      )}
    </>
  );
}

function Found({ id }: { id: string }) {
  const t = useDev();
  const query = useQuery(storyQuery(id));
  if (query.error instanceof ApiError && query.error.code === "resource_not_found") {
    return (
      <EmptyState icon="search" title={t.storyNone}>
        {t.storyNoneHint}
      </EmptyState>
    );
  }
  return <Loaded query={query}>{(story) => <Told story={story} />}</Loaded>;
}

/** Nothing was asked for yet. */
function Nothing() {
  const t = useDev();
  useTitle(t.find);
  return (
    <EmptyState page icon="search" title={t.find}>
      {t.findLong}
    </EmptyState>
  );
}

/** The story of any id, from the request to the last delivery. Endpoints and keys have pages of their own. */
export default function FindPage() {
  const t = useDev();
  const id = useFilters()[0].id?.trim();
  if (id?.startsWith("wbs_")) return <Navigate to="/dev/webhooks/$endpoint" params={{ endpoint: id }} replace />;
  if (id?.startsWith("key_")) return <Navigate to="/dev/logs" search={{ key_id: id }} replace />;
  if (!id) return <Nothing />;
  return (
    <Section title={t.find} hint={id}>
      <Found id={id} />
    </Section>
  );
}
