import { useText } from "../i18n";

export default function SettingsPage() {
  return <h1>{useText("settings").title}</h1>;
}
