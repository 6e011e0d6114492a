import { createTheme, defaultVariantColorsResolver, localStorageColorSchemeManager, type CSSVariablesResolver } from "@mantine/core";

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

export const theme = createTheme({
  primaryColor: "green",
  primaryShade: { light: 7, dark: 4 },
  autoContrast: true,
  // Mantine would choose the text on the accent for light pages alone.
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input);
    const accent = !input.color || input.color === input.theme.primaryColor;
    return input.variant === "filled" && accent ? { ...colors, color: "var(--on-accent)" } : colors;
  },
  colors: { green },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: "var(--mono)",
  fontSizes: { xs: "12px", sm: "14px", md: "14px", lg: "17px", xl: "20px" },
  lineHeights: { xs: "16px", sm: "20px", md: "20px", lg: "24px", xl: "28px" },
  headings: { fontWeight: "650" },
  defaultRadius: "8px",
  cursorType: "pointer",
  respectReducedMotion: true,
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
