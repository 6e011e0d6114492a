import { Button, Modal } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { get, send } from "../../api/client";
import { meQuery, queryClient, sessionsQuery, useMe } from "../../api/queries";
import { CodeInput } from "../../auth/secondstep/CodeInput";
import { RecoveryCodes } from "../../auth/secondstep/RecoveryCodes";
import { SetUp } from "../../auth/secondstep/SetUp";
import { useText } from "../../i18n";
import { FormDialog } from "../../ui/Dialog";
import { Loaded } from "../../ui/Loaded";
import { Parts } from "../../ui/Parts";
import { PasswordInput } from "../../ui/PasswordInput";
import { Time } from "../../ui/Time";
import { toast } from "../../ui/toasts";
import { useSubmit } from "../../ui/useSubmit";
import { Tag } from "../Rows";
import { Panel } from "../Section";
import { useSecurity } from "../security/text";
import styles from "./panels.module.css";

interface SecondStep {
  on: boolean;
  since: string | null;
  recovery_codes_left: number;
  required: boolean;
}

const secondStepQuery = queryOptions({ queryKey: ["second-step"], queryFn: () => get<SecondStep>("/me/second-step") });

function refresh(): void {
  void queryClient.invalidateQueries({ queryKey: secondStepQuery.queryKey, exact: true });
  void queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
  void queryClient.invalidateQueries(sessionsQuery);
}

/** Asks for the password and a code before something is done. */
function Prove<Result>(props: {
  title: string;
  hint: string;
  action: string;
  path: string;
  danger?: boolean;
  done: (result: Result) => void;
  close: () => void;
}) {
  const t = useSecurity();
  const { user } = useMe();
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const submit = useSubmit(["password", "code"], () => send<Result>("POST", props.path, { password, code }), props.done);
  return (
    <FormDialog title={props.title} action={props.action} danger={props.danger} close={props.close} submit={submit}>
      <p>{props.hint}</p>
      <input type="text" autoComplete="username" value={user.email} readOnly hidden />
      <PasswordInput
        required
        data-autofocus
        label={t.password}
        autoComplete="current-password"
        {...submit.field("password", password, setPassword)}
      />
      <CodeInput
        label={t.code}
        description={t.proofHint}
        {...submit.field("code", code, setCode)}
      />
    </FormDialog>
  );
}

type Opened = "set-up" | "off" | "renew" | { codes: string[] };

interface DialogProps {
  step: SecondStep;
  open: (next?: Opened) => void;
}

function TurnOff({ step, open }: DialogProps) {
  const t = useSecurity();
  const done = () => {
    refresh();
    toast(t.turnedOff);
    open();
  };
  const hint = step.required ? `${t.turnOffHint} ${t.requiredHint}` : t.turnOffHint;
  return <Prove title={t.turnOff} hint={hint} action={t.turnOff} path="/me/second-step/off" danger close={() => open()} done={done} />;
}

function RenewCodes({ open }: DialogProps) {
  const t = useSecurity();
  const done = (made: { recovery_codes: string[] }) => {
    refresh();
    open({ codes: made.recovery_codes });
  };
  const path = "/me/second-step/recovery-codes";
  return <Prove title={t.otherCodes} hint={t.otherCodesHint} action={t.makeCodes} path={path} close={() => open()} done={done} />;
}

function Dialogs({ opened, ...props }: DialogProps & { opened: Opened }) {
  const t = useSecurity();
  const common = useText("common");
  const close = () => props.open();
  if (opened === "off") return <TurnOff {...props} />;
  if (opened === "renew") return <RenewCodes {...props} />;
  const codes = opened === "set-up" ? undefined : opened.codes;
  const done = () => {
    toast(t.turnedOn);
    close();
  };
  return (
    <Modal
      opened
      onClose={close}
      closeOnClickOutside={false}
      closeOnEscape={false} // the codes are shown once
      title={codes ? t.recoveryTitle : t.setupTitle}
      closeButtonProps={{ "aria-label": common.close }}
    >
      {codes ? <RecoveryCodes codes={codes} done={close} /> : <SetUp confirmed={refresh} done={done} />}
    </Modal>
  );
}

export function SecondStepPanel() {
  const t = useSecurity();
  const query = useQuery(secondStepQuery);
  const [opened, open] = useState<Opened>();
  return (
    <Panel title={t.twoStep} hint={t.twoStepHint}>
      <Loaded query={query} rows={1}>
        {(step) => (
          <>
            {step.on ? (
              <TurnedOn step={step} open={open} />
            ) : (
              <Button variant="default" onClick={() => open("set-up")}>
                {t.turnOn}
              </Button>
            )}
            {opened && <Dialogs step={step} opened={opened} open={open} />}
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function TurnedOn({ step, open }: DialogProps) {
  const t = useSecurity();
  return (
    <>
      <p className={styles.state}>
        <Tag kind="green">{t.on}</Tag>
        <Parts>
          {step.since && <>{t.onSince} <Time value={step.since} /></>}
          {t.codesLeft(step.recovery_codes_left)}
        </Parts>
      </p>
      <div className={styles.actions}>
        <Button variant="default" onClick={() => open("renew")}>
          {t.otherCodes}
        </Button>
        <Button variant="default" onClick={() => open("off")}>
          {t.turnOff}
        </Button>
      </div>
    </>
  );
}
