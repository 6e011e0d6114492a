import type { ThreadRef, Message } from "../../../api/types";
import { useText } from "../../../i18n";
import { FormattedText } from "../../text/FormattedText";
import { AudioContent } from "./AudioContent";
import { ContactsContent } from "./ContactsContent";
import { DocumentContent } from "./DocumentContent";
import { ImageContent } from "./ImageContent";
import { InteractiveContent } from "./InteractiveContent";
import { LocationContent } from "./LocationContent";
import { OrderContent } from "./OrderContent";
import { TemplateContent } from "./TemplateContent";
import { UnsupportedContent } from "./UnsupportedContent";
import { VideoContent } from "./VideoContent";

/** A message as people know it from their phone. */
export function MessageContent({ message: m, conversation }: { message: Message; conversation: ThreadRef }) {
  const t = useText("inbox");
  if (m.order) return <OrderContent order={m.order} />;
  switch (m.type) {
    case "text":
      return <FormattedText text={m.text?.body ?? ""} />;
    case "image":
      return <ImageContent message={m} number={conversation.number.phone_number_id} />;
    case "video":
      return <VideoContent message={m} number={conversation.number.phone_number_id} />;
    case "audio":
      return <AudioContent message={m} number={conversation.number.phone_number_id} />;
    case "document":
      return <DocumentContent message={m} number={conversation.number.phone_number_id} />;
    case "location":
      return <LocationContent location={m.location} />;
    case "contacts":
      return <ContactsContent contacts={m.contacts ?? []} />;
    case "interactive":
      return <InteractiveContent interactive={m.interactive ?? {}} />;
    case "button":
      return <FormattedText text={m.button?.text ?? ""} />;
    case "template":
      return m.preview ? <TemplateContent preview={m.preview} /> : <span>{t.templateNamed(nameOf(m))}</span>;
    case "reaction":
      return <span>{m.reaction?.emoji}</span>;
    default:
      return <UnsupportedContent message={m} />;
  }
}

const nameOf = (m: Message) => (typeof m.template?.name === "string" ? m.template.name : "");
