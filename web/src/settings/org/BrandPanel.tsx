import { Button, ColorInput, ColorSwatch, FileButton, Group, Text } from "@mantine/core";
import { useState } from "react";
import { useText } from "../../i18n";
import { FormError } from "../../ui/FormError";
import { toast, toastError } from "../../ui/toasts";
import { useSubmit } from "../../ui/useSubmit";
import { Panel } from "../Section";
import styles from "./BrandPanel.module.css";
import { change, removeLogo, sendLogo, type Organization } from "./data";

/** What the page has where nothing is chosen. */
const ownColor = "#0a7c5a";
const swatches = [ownColor, "#1d4ed8", "#6d28d9", "#be185d", "#b91c1c", "#c2410c", "#0f766e", "#334155"];
const isColor = /^#[0-9a-f]{6}$/iu;

/** How the page looks on which customers connect their numbers. */
export function BrandPanel({ settings }: { settings: Organization }) {
  const t = useText("organization");
  const common = useText("common");
  const [color, setColor] = useState(settings.brand_color);
  const shown = isColor.test(color) ? color : ownColor;
  const { form, busy, error, errorOf } = useSubmit(
    ["brand_color"],
    () => change({ brand_color: color.toLowerCase() }),
    () => toast(common.saved),
  );
  return (
    <Panel title={t.brand} hint={t.brandHint}>
      <Logo settings={settings} />
      <form {...form}>
        <FormError error={error} />
        <ColorInput
          label={t.color}
          description={t.colorHint}
          placeholder={ownColor}
          leftSection={<ColorSwatch color={shown} size={18} />}
          swatches={swatches}
          swatchesPerRow={8}
          withPicker={false}
          withEyeDropper={false}
          closeOnColorSwatchClick
          value={color}
          error={errorOf("brand_color")}
          onChange={setColor}
        />
        <Sample name={settings.name} logo={settings.logo_path} color={shown} />
        <Group>
          <Button type="submit" loading={busy} disabled={color === settings.brand_color}>
            {common.save}
          </Button>
          {color !== "" && (
            <Button variant="subtle" onClick={() => setColor("")}>
              {t.colorDefault}
            </Button>
          )}
        </Group>
      </form>
    </Panel>
  );
}

function Logo({ settings }: { settings: Organization }) {
  const t = useText("organization");
  const [busy, setBusy] = useState(false);
  const work = (doing: Promise<unknown>) => {
    setBusy(true);
    doing.then(() => toast(t.logoSaved), toastError).finally(() => setBusy(false));
  };
  return (
    <div className={styles.logo}>
      <Group>
        <FileButton
          accept="image/jpeg,image/png"
          onChange={(file) => file && work(sendLogo(file))}
          inputProps={{ "aria-label": t.logo }}
        >
          {(props) => (
            <Button variant="default" loading={busy} {...props}>
              {settings.logo_path ? t.logoChange : t.logoChoose}
            </Button>
          )}
        </FileButton>
        {settings.logo_path && (
          <Button variant="subtle" color="red" disabled={busy} onClick={() => work(removeLogo())}>
            {t.logoRemove}
          </Button>
        )}
      </Group>
      <Text size="xs" c="dimmed">
        {t.logoHint}
      </Text>
    </div>
  );
}

/** The head and the button of the page, as customers see them. */
function Sample({ name, logo, color }: { name: string; logo: string; color: string }) {
  const t = useText("organization");
  const on = { background: color, color: readableOn(color) };
  return (
    <div className={styles.sample} role="img" aria-label={t.brandSample}>
      <div className={styles.head}>
        {logo ? <img src={logo} alt="" width={32} height={32} /> : <span style={on}>{[...name][0]?.toUpperCase()}</span>}
        <strong>{name}</strong>
      </div>
      <div className={styles.button} style={on}>
        {t.brandButton}
      </div>
    </div>
  );
}

/** Black or white, whichever can be read on a colour. */
function readableOn(color: string): string {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = parseInt(color.slice(at, at + 2), 16) / 255;
    return part > 0.04045 ? ((part + 0.055) / 1.055) ** 2.4 : part / 12.92;
  });
  const light = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return 1.05 / (light + 0.05) >= (light + 0.05) / 0.05 ? "#fff" : "#000";
}
