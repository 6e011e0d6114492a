import { cleanup, render } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { FormattedText } from "./FormattedText";

afterEach(cleanup);

const html = (text: string) => render(<FormattedText text={text} />).container.querySelector("span")?.innerHTML;

it("shows marks as people know them", () => {
  expect(html("*a* _b_ ~c~ `d`")).toBe("<strong>a</strong> <em>b</em> <s>c</s> <code>d</code>");
});

it("never takes a text for markup", () => {
  const { container } = render(<FormattedText text={'<img src=x onerror="alert(1)"> *<script>alert(1)</script>*'} />);
  expect(container.querySelector("img, script")).toBeNull();
  expect(container.textContent).toContain("<script>");
});

it("opens links in a page that knows nothing of this one", () => {
  const { container } = render(<FormattedText text="https://a.b/c javascript:alert(1)" />);
  const links = [...container.querySelectorAll("a")];
  expect(links.map((a) => a.getAttribute("href"))).toEqual(["https://a.b/c"]);
  expect(links[0]?.rel).toContain("noopener");
});
