import { Button } from "@mantine/core";
import { Chips } from "../../ui/Chips";
import { IconButton } from "../../ui/IconButton";
import { Icon } from "../../ui/icons";
import limits from "../limits.json";
import { useTemplateText } from "../text";
import styles from "./Builder.module.css";
import { ButtonFields } from "./ButtonFields";
import { FileField } from "./FileField";
import { emptyButton, emptyCard, type CardForm, type Form } from "./form";
import { SampleFields, TextField } from "./TextField";

interface Props {
  number: string;
  form: Form;
  errorOf: (field: string) => string | undefined;
  change: (next: Partial<Form>) => void;
}

/** The cards of a carousel. */
export function CardFields({ number, form, errorOf, change }: Props) {
  const t = useTemplateText();
  const { cards } = form;
  const set = (i: number, next: Partial<CardForm>) => change({ cards: cards.map((c, j) => (i === j ? { ...c, ...next } : c)) });
  const { IMAGE = "", VIDEO = "" } = t.headerFormats;
  return (
    <section className={styles.part}>
      <h2>{t.cards}</h2>
      <p className={styles.hint}>{t.cardsHint}</p>
      <Chips label={t.cardHeader} value={form.cardFormat} names={{ IMAGE, VIDEO }} choose={(value) => change({ cardFormat: value as Form["cardFormat"], cards: cards.map((c) => ({ ...c, file: null })) })} />
      {cards.map((card, i) => (
        <div key={i} className={styles.item} role="group" aria-label={t.card(i + 1)}>
          <header>
            <span>{t.card(i + 1)}</span>
            {cards.length > 1 && (
              <IconButton
                icon="close"
                label={t.removeCard(i + 1)}
                iconSize={16}
                size={28}
                onClick={() => change({ cards: cards.toSpliced(i, 1) })}
              />
            )}
          </header>
          <FileField label={t.cardFile(i + 1)} number={number} format={form.cardFormat} file={card.file} error={errorOf(`cards.${i}.file`)} onChange={(file) => set(i, { file })} />
          <TextField label={t.cardText(i + 1)} value={card.text} most={limits.card_body} named={form.named} error={errorOf(`cards.${i}.text`)} onChange={(text) => set(i, { text })} />
          <SampleFields text={card.text} samples={card.samples} of={t.card(i + 1)} error={errorOf(`cards.${i}.samples`)} onChange={(samples) => set(i, { samples })} />
          <ButtonFields buttons={card.buttons} most={limits.card_buttons} prefix={`cards.${i}.buttons`} of={t.card(i + 1)} errorOf={errorOf} onChange={(buttons) => set(i, { buttons })} />
          {errorOf(`cards.${i}`) && <p className={styles.error} role="alert">{errorOf(`cards.${i}`)}</p>}
        </div>
      ))}
      {errorOf("cards") && <p className={styles.error} role="alert">{errorOf("cards")}</p>}
      {cards.length < limits.cards && (
        // A new card has the kinds of buttons that the others have.
        <Button className={styles.add} variant="default" leftSection={<Icon name="plus" size={16} />}
          onClick={() => change({ cards: [...cards, emptyCard(cards[0]?.buttons.map((b) => emptyButton(b.type)))] })}>
          {t.addCard}
        </Button>
      )}
    </section>
  );
}
