import { TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLanguage, useText } from "../../i18n";
import { EmptyState } from "../../ui/EmptyState";
import { ErrorState } from "../../ui/ErrorState";
import { Icon } from "../../ui/icons";
import { languageName } from "../../ui/languageName";
import { Parts } from "../../ui/Parts";
import { plainText } from "../text/format";
import type { Preview } from "../thread/content/shapes";
import { templatesQuery } from "./queries";
import type { Template } from "./template";
import { TemplateForm } from "./TemplateForm";
import styles from "./TemplatePicker.module.css";

export interface Filled {
  template: { name: string; language: string; components: unknown[] };
  preview: Preview;
}

interface Props {
  number: string;
  contact: string | null;
  /** A form waits for it, and stays where it fails. */
  onDone: (filled: Filled) => void | Promise<void>;
}

/** The approved templates of a number, and the form of the one that is chosen. */
export function TemplatePicker({ number, contact, onDone }: Props) {
  const t = useText("inbox");
  const reader = useLanguage();
  const [words, setWords] = useState("");
  const [chosen, setChosen] = useState<Template | null>(null);
  const query = useQuery(templatesQuery(number));
  if (query.isLoadingError) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  const found = (query.data ?? []).filter((x) =>
    `${x.name} ${x.content}`.toLocaleLowerCase().includes(words.toLocaleLowerCase()),
  );
  return (
    <div className={styles.picker} data-chosen={chosen ? true : undefined}>
      <div className={styles.list}>
        <TextInput
          aria-label={t.searchTemplates}
          placeholder={t.searchTemplates}
          leftSection={<Icon name="search" size={16} />}
          value={words}
          data-autofocus
          onChange={(event) => setWords(event.target.value)}
        />
        <ul aria-label={t.templates}>
          {found.map((template) => (
            <li key={template.id}>
              <button type="button" aria-pressed={template.id === chosen?.id} onClick={() => setChosen(template)}>
                <b>{template.name}</b>
                <small>
                  <Parts>
                    {languageName(template.language, reader)}
                    {template.category && (t.templateCategories[template.category] ?? template.category)}
                  </Parts>
                </small>
                <span>{plainText(template.content)}</span>
              </button>
            </li>
          ))}
        </ul>
        {query.isSuccess && found.length === 0 && <EmptyState icon="template" title={t.noTemplates} />}
      </div>
      <div className={styles.form}>
        {chosen ? (
          <TemplateForm
            key={chosen.id}
            template={chosen}
            number={number}
            contact={contact}
            onBack={() => setChosen(null)}
            onDone={onDone}
          />
        ) : (
          <EmptyState icon="template" title={t.chooseTemplate} />
        )}
      </div>
    </div>
  );
}
