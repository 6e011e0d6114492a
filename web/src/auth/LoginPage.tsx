import { useText } from "../i18n";

export default function LoginPage() {
  return <h1>{useText("auth").title}</h1>;
}
