import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { Parts } from "./Parts";

afterEach(cleanup);

test("only what is there becomes a part, and no point is part of the text", () => {
  render(
    <div aria-label="parts" role="group">
      <Parts>
        Owner
        {null}
        {false}
        <>
          seen <time>now</time>
        </>
      </Parts>
    </div>,
  );
  const parts = [...(screen.getByLabelText("parts").firstElementChild?.children ?? [])];
  expect(parts.map((part) => part.textContent)).toEqual(["Owner", "seen now"]);
});
