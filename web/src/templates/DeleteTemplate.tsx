import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useLanguage } from "../i18n";
import { FormDialog } from "../ui/Dialog";
import { toast } from "../ui/toasts";
import { useSubmit } from "../ui/useSubmit";
import { deleteTemplate } from "./data";
import { languageName } from "../ui/languageName";
import { useTemplateText } from "./text";

interface Props {
  number: string;
  name: string;
  /** Only this one; else all. */
  language?: string;
  /** Nothing is left of the template then. */
  last: boolean;
  close: () => void;
}

/** Asks before a template is deleted, which cannot be undone. */
export function DeleteTemplate({ number, name, language, last, close }: Props) {
  const t = useTemplateText();
  const reader = useLanguage();
  const client = useQueryClient();
  const navigate = useNavigate();
  const shown = language ? `${name} (${languageName(language, reader)})` : name;
  const submit = useSubmit(
    [],
    () => deleteTemplate(number, name, language),
    () => {
      toast(t.deleted(shown));
      close();
      void client.invalidateQueries({ queryKey: ["templates"] });
      if (last) void navigate({ to: "/templates", search: { number } });
    },
  );
  return (
    <FormDialog title={t.deleteTitle(shown)} action={t.delete} danger close={close} submit={submit}>
      <p>{t.deleteHint}</p>
    </FormDialog>
  );
}
