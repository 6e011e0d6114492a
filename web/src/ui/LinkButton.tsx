import { Button, type ButtonProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { AnchorHTMLAttributes } from "react";

function Anchor(props: ButtonProps & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof ButtonProps>) {
  return <Button component="a" {...props} />;
}

/** A link to a page that looks like a button. */
export const LinkButton = createLink(Anchor);
