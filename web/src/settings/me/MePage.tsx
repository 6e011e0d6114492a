import { useText } from "../../i18n";
import { Section } from "../Section";
import { AppearancePanel } from "./AppearancePanel";
import { NotificationsPanel } from "./NotificationsPanel";
import { PasswordPanel } from "./PasswordPanel";
import { ProfilePanel } from "./ProfilePanel";
import { SecondStepPanel } from "./SecondStepPanel";
import { SessionsPanel } from "./SessionsPanel";

export default function MePage() {
  const t = useText("settings");
  return (
    <Section title={t.me}>
      <ProfilePanel />
      <AppearancePanel />
      <NotificationsPanel />
      <PasswordPanel />
      <SecondStepPanel />
      <SessionsPanel />
    </Section>
  );
}
