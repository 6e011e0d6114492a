import {
  createTheme,
  defaultVariantColorsResolver,
  localStorageColorSchemeManager,
  Menu,
  Modal,
  type ModalProps,
  Switch,
  Tooltip,
  type CSSVariablesResolver,
  type VariantColorsResolver,
} from "@mantine/core";
import { text } from "../i18n";

/** Ten shades from the palest to the darkest; 7 is the accent of light pages, 4 that of dark ones. */
const green = [
  "#e2f2eb",
  "#c6e6d8",
  "#a1d6bf",
  "#72c8a6",
  "#3fbf94",
  "#24a57b",
  "#128a66",
  "#0a7657",
  "#085f46",
  "#064533",
] as const;

/** Greys with a breath of the accent's green. 4 is the border of controls, 3:1 on every ground. */
const gray = [
  "#f5f7f6",
  "#eef1f0",
  "#e2e7e4",
  "#cdd5d1",
  "#7f8d86",
  "#6f7d76",
  "#5a6962",
  "#4f5e57",
  "#2a3832",
  "#15211c",
] as const;

/** The same for dark pages, from text to ground. */
const dark = [
  "#e7eeeb",
  "#c5d1cb",
  "#a3b3ab",
  "#8a9b93",
  "#66776f",
  "#25302c",
  "#1c2622",
  "#141b18",
  "#101614",
  "#0d1311",
] as const;

/** Filled controls take their colours from the tokens, so that they can be read in both schemes. */
const variantColors: VariantColorsResolver = (input) => {
  const usual = defaultVariantColorsResolver(input);
  if (input.variant !== "filled") return usual;
  const accent = !input.color || input.color === input.theme.primaryColor;
  if (input.color === "red") return { ...usual, background: "var(--red)", hover: "var(--red)", color: "var(--surface)" };
  if (!accent) return usual;
  return { ...usual, background: "var(--accent)", hover: "var(--accent-strong)", color: "var(--on-accent)" };
};

export const theme = createTheme({
  primaryColor: "green",
  primaryShade: { light: 7, dark: 4 },
  variantColorResolver: variantColors,
  colors: { green, gray, dark },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: "var(--mono)",
  fontSizes: { xs: "12px", sm: "14px", md: "14px", lg: "17px", xl: "20px" },
  lineHeights: { xs: "16px", sm: "20px", md: "20px", lg: "24px", xl: "28px" },
  headings: { fontWeight: "650" },
  defaultRadius: "8px",
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    // A function, so that the name follows the language.
    Modal: Modal.extend({
      defaultProps: (() => ({
        radius: 14, overlayProps: { backgroundOpacity: 0.4 }, closeButtonProps: { "aria-label": text("common").close },
      })) as Partial<ModalProps>,
    }),
    // The placeholder would take the focus and is no item, which screen readers stumble over.
    Menu: Menu.extend({ defaultProps: { radius: 10, withInitialFocusPlaceholder: false } }),
    InputWrapper: { defaultProps: { withAsterisk: false } },
    Switch: Switch.extend({ defaultProps: { withThumbIndicator: false } }),
    Tooltip: Tooltip.extend({ defaultProps: { radius: 6, openDelay: 300, events: { hover: true, focus: true, touch: false } } }),
  },
});

/** Mantine's own variables take their values from our tokens, so both schemes follow one list. */
export const mantineVariables: CSSVariablesResolver = () => {
  const shared = {
    "--mantine-color-body": "var(--surface)",
    "--mantine-color-text": "var(--text)",
    "--mantine-color-dimmed": "var(--muted)",
    "--mantine-color-placeholder": "var(--faint)",
    "--mantine-color-anchor": "var(--accent)",
    "--mantine-color-error": "var(--red)",
    "--mantine-color-default": "var(--surface)",
    "--mantine-color-default-hover": "var(--sunken)",
    "--mantine-color-default-color": "var(--text)",
    "--mantine-color-default-border": "var(--line)",
    "--mantine-color-disabled": "var(--sunken)",
    "--mantine-color-disabled-color": "var(--faint)",
    "--mantine-primary-color-filled": "var(--accent)",
    "--mantine-primary-color-filled-hover": "var(--accent-strong)",
    "--mantine-primary-color-contrast": "var(--on-accent)",
    "--mantine-primary-color-light": "var(--tint)",
    "--mantine-primary-color-light-color": "var(--accent)",
  };
  // Fields take their ground and their line from Mantine's greys.
  const dark = {
    "--mantine-color-dark-4": "var(--control)",
    "--mantine-color-dark-5": "var(--sunken)",
    "--mantine-color-dark-6": "var(--sunken)",
    "--mantine-color-dark-7": "var(--surface)",
  };
  return { variables: {}, light: { ...shared, "--mantine-color-gray-4": "var(--control)" }, dark: { ...shared, ...dark } };
};

export const schemeManager = localStorageColorSchemeManager({ key: "parley-theme" });
