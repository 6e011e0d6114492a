import { useQuery } from "@tanstack/react-query";
import { useText } from "../../i18n";
import { Loaded } from "../../ui/Loaded";
import { AdminsOnly } from "../AdminsOnly";
import { Section } from "../Section";
import { organizationQuery } from "./data";
import { BrandPanel } from "./BrandPanel";
import { GeneralPanel } from "./GeneralPanel";
import { HoursPanel } from "./HoursPanel";
import { SignInPanel } from "./SignInPanel";
import { SwitchesPanel } from "./SwitchesPanel";

export default function OrganizationPage() {
  return (
    <AdminsOnly>
      <Settings />
    </AdminsOnly>
  );
}

function Settings() {
  const t = useText("organization");
  const organization = useQuery(organizationQuery);
  return (
    <Section title={t.title} hint={t.hint}>
      <Loaded query={organization}>
        {(settings) => (
          <>
            <GeneralPanel settings={settings} />
            <BrandPanel settings={settings} />
            <SwitchesPanel settings={settings} />
            <HoursPanel settings={settings} />
            <SignInPanel settings={settings} />
          </>
        )}
      </Loaded>
    </Section>
  );
}
