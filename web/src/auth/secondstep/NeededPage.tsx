import { Anchor } from "@mantine/core";
import { useMe } from "../../api/queries";
import { useSecurity } from "../../settings/security/text";
import { signOut } from "../../shell/signOut";
import { Toasts } from "../../ui/Toasts";
import { Card } from "../Card";
import styles from "../Card.module.css";
import { SetUp } from "./SetUp";

/** Stands before every page where the organization wants two-step sign-in and the user has none yet. */
export default function NeededPage() {
  const t = useSecurity();
  const { organization } = useMe();
  return (
    <>
      <Card title={t.setupTitle} hint={t.setupNeeded(organization.name)}>
        <SetUp done={() => location.reload()} />
        <p className={styles.foot}>
          <Anchor component="button" type="button" onClick={() => void signOut()}>
            {t.signOut}
          </Anchor>
        </p>
      </Card>
      <Toasts />
    </>
  );
}
