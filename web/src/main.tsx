import "@mantine/core/styles.css";
import "./theme/tokens.css";
import "./theme/base.css";
import "./theme/mantine.css";
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { setNonce } from "get-nonce";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient } from "./api/queries";
import { startLanguage } from "./i18n";
import { router } from "./router";
import { mantineVariables, schemeManager, theme } from "./theme/theme";

// The page's security policy lets in only style elements with the nonce that the server wrote into the page.
const nonce = document.querySelector<HTMLMetaElement>("meta[name=style-nonce]")?.content ?? "";
setNonce(nonce);

await startLanguage();

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={mantineVariables}
      colorSchemeManager={schemeManager}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
