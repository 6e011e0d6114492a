import { expect, test } from "vitest";
import { componentsOf, fieldsOf, type Template } from "../inbox/templates/template";
import { broadcastSearchOf, broadcastsSearchOf } from "./address";
import { audienceOf, chosenOf } from "./audience";
import { cut, decode, numbersIn, parse, phoneColumn, tableOf } from "./csv";
import { partsOf, restOf, type Broadcast } from "./data";
import { columnsOf, hasFallback, isMapped, mappedOf, textOf, valuesOf } from "./mapping";
import { initial } from "./MessageStep";
import { instantOf, inZone, localOf } from "./zones";

test("cells may be quoted, and hold dividers, quotes and line breaks", () => {
  expect(parse('a;b\n"x;""y""\nz";2\n\n;\n')).toEqual([["a", "b"], ['x;"y"\nz', "2"]]);
  expect(parse("a,b\r\n1,2")).toEqual([["a", "b"], ["1", "2"]]);
});

test("a first row without a number has the names", () => {
  const named = tableOf("\uFEFFName,Phone\nAda,+1 202 555 0100");
  expect(named).toEqual({ columns: ["Name", "Phone"], rows: [["Ada", "+1 202 555 0100"]] });
  expect(phoneColumn(named)).toBe(1);
  const plain = tableOf("Ada\t+12025550100\nBo\t+12025550101");
  expect(plain.columns).toEqual(["1", "2"]);
  expect(phoneColumn(plain)).toBe(1);
  expect(phoneColumn(tableOf("Name\nAda"))).toBe(-1);
});

test("files of other systems are read", () => {
  expect(decode(new Uint8Array([0x4d, 0xfc]).buffer)).toBe("Mü");
  expect(decode(new Uint8Array([0xff, 0xfe, 0x41, 0]).buffer).endsWith("A")).toBe(true);
  expect(numbersIn("+1, +2;\n +3\r\n")).toEqual(["+1", "+2", "+3"]);
  expect(numbersIn("+49 155 1000 0001 +49 155 1000 0002 \u202a+49155\u202c")).toEqual(["+49 155 1000 0001", "+49 155 1000 0002", "\u202a+49155\u202c"]);
  expect(parse("sep=;\r\na,b;c\r\n1;2")).toEqual([["a,b", "c"], ["1", "2"]]);
  expect(parse("a,b\r1,2\r")).toEqual([["a", "b"], ["1", "2"]]);
  expect(tableOf(`="+4915510000001",Ada\n'+4915510000002,Bo`).columns).toEqual(["1", "2"]);
  expect(phoneColumn(tableOf("Order number,Customer,Mobile\n100200300,Ada,+4915510000001"))).toBe(2);
});

test("a list goes to the server in parts that it takes", () => {
  const row = (n: number) => ({ to: "+4915510000001", variables: { text: "ü".repeat(n) } });
  expect(partsOf(Array.from({ length: 2_500 }, () => row(1))).map((p) => p.length)).toEqual([1_000, 1_000, 500]);
  const long = partsOf(Array.from({ length: 300 }, () => row(4_096)));
  expect(long.flat()).toHaveLength(300);
  for (const part of long) expect(new TextEncoder().encode(JSON.stringify(part)).length).toBeLessThan(1_000_000);
  expect(partsOf([])).toEqual([]);
  expect(cut("a😀", 2)).toBe("a");
  expect(cut("a😀", 3)).toBe("a😀");
});

test("what was chosen for a placeholder is found again in its text", () => {
  for (const m of [
    { source: "name", key: "", fallback: "you" },
    { source: "column", key: "Due date", fallback: "" },
    { source: "metadata", key: "city", fallback: "town" },
    { source: "text", key: "10 %", fallback: "" },
  ] as const)
    expect(mappedOf(textOf(m))).toEqual(m);
  expect(mappedOf("Dear {{contact.name}} of {{recipient.x}}")).toMatchObject({ source: "text" });
  expect(textOf({ source: "column", key: "a}}", fallback: "b|c" })).toBe("{{recipient.a|bc}}");
  expect(isMapped({ source: "column", key: " ", fallback: "x" })).toBe(false);
});

test("a column without a fallback somewhere is needed", () => {
  const message = (...texts: string[]) => [{ type: "body", parameters: texts.map((text) => ({ text })) }];
  expect(hasFallback(message("{{recipient.a|x}}", "{{recipient.b}}"), "a")).toBe(true);
  expect(hasFallback(message("{{recipient.a|x}}", "{{ recipient.a }}"), "a")).toBe(false);
  expect(hasFallback(message("{{recipient.a| }}"), "a")).toBe(false);
});

test("a message says which columns it wants", () => {
  expect(columnsOf([{ type: "body", parameters: [{ text: "{{recipient.a|x}} {{ recipient.b b }} {{recipient.a}} {{contact.name}}" }] }])).toEqual(["a", "b b"]);
});

test("the values of a draft are found again in its components", () => {
  const template: Template = {
    id: "1", name: "x", language: "en", category: "MARKETING", content: "", parameter_format: "positional",
    components: [
      { type: "HEADER", format: "IMAGE" },
      { type: "BODY", text: "{{1}} and {{2}}" },
      { type: "BUTTONS", buttons: [{ type: "URL", text: "Go", url: "https://x/{{1}}" }] },
    ],
  };
  const values = { header: "med_1", "body.1": "{{contact.name}}", "body.2": "x", "button.0": "{{recipient.code}}" };
  expect(valuesOf(template, componentsOf(template, values))).toEqual(values);
});

test("a local time is an instant, also where the clocks change", () => {
  for (const [local, zone, instant, odd] of [
    ["2026-01-10T09:00", "Asia/Jakarta", "2026-01-10T02:00", undefined],
    ["2026-07-10T09:00", "Europe/Berlin", "2026-07-10T07:00", undefined],
    ["2026-03-29T01:59", "Europe/Berlin", "2026-03-29T00:59", undefined],
    ["2026-03-29T02:30", "Europe/Berlin", "2026-03-29T01:30", "never"], // it is 03:30 then
    ["2026-03-29T03:00", "Europe/Berlin", "2026-03-29T01:00", undefined],
    ["2026-10-25T01:59", "Europe/Berlin", "2026-10-24T23:59", undefined],
    ["2026-10-25T02:30", "Europe/Berlin", "2026-10-25T00:30", "twice"],
    ["2026-10-25T03:00", "Europe/Berlin", "2026-10-25T02:00", undefined],
    ["2026-03-08T02:30", "America/New_York", "2026-03-08T07:30", "never"],
    ["2026-11-01T01:30", "America/New_York", "2026-11-01T05:30", "twice"],
    ["2026-11-01T02:00", "America/New_York", "2026-11-01T07:00", undefined],
    ["2026-04-05T01:45", "Australia/Lord_Howe", "2026-04-04T14:45", "twice"], // by half an hour
    ["2026-10-04T02:15", "Australia/Lord_Howe", "2026-10-03T15:45", "never"],
  ] as const)
    expect([local, instantOf(local, zone)]).toEqual([local, { instant: `${instant}:00.000Z`, odd }]);
  expect(localOf("2026-01-10T02:00:00.000Z", "Asia/Jakarta")).toBe("2026-01-10T09:00");
});

test("an audience that nobody touched stays as it was", () => {
  const labels = { label_ids: ["a", "b"], match: "all" as const };
  expect(audienceOf(chosenOf(labels))).toEqual(labels);
  expect(audienceOf(chosenOf({ label_ids: [], match: "any" }))).toEqual({ label_ids: [] });
  for (const filter of [
    {}, { never_seen: true }, { seen_after: "2026-01-01T00:00:00Z" }, { consent: "opted_in", not_seen_since: "2026-01-01T00:00:00Z" },
    { label_ids: ["a"], all_labels: true, search: "x", seen_after: "2026-01-01T00:00:00Z" },
  ])
    expect(JSON.parse(JSON.stringify(audienceOf(chosenOf({ label_ids: [], match: "any", filter }))))).toEqual({ filter });
});

test("a page looks again while something may still change", () => {
  const now = Date.parse("2026-01-01T12:00:00Z");
  const b = (more: Partial<Broadcast>) => ({ counts: { waiting: 0 }, started_at: null, completed_at: null, ...more }) as Broadcast;
  expect(restOf(b({ status: "sending" }), now)).toBe(1_000);
  expect(restOf(b({ status: "draft" }), now)).toBe(false);
  expect(restOf(b({ status: "completed", started_at: "2026-01-01T11:50:00Z", completed_at: "2026-01-01T11:59:00Z" }), now)).toBe(5_000);
  expect(restOf(b({ status: "completed", started_at: "2026-01-01T01:00:00Z", completed_at: "2026-01-01T02:00:00Z" }), now)).toBe(false);
});

test("an address says a step and filters that there are", () => {
  expect(broadcastSearchOf({ step: 3, show: "failed" })).toEqual({ step: 3, show: "failed" });
  expect(broadcastSearchOf({ step: "2" }).step).toBe(2);
  expect([0, 9, 2.4].map((step) => broadcastSearchOf({ step }).step)).toEqual([1, 4, 2]);
  expect(broadcastSearchOf({ step: "abc", show: "nonsense" })).toEqual({});
  expect(broadcastsSearchOf({ status: "paused", number: 100200300400500 })).toEqual({ status: "paused", number: "100200300400500" });
  expect(broadcastsSearchOf({ status: "nonsense", number: "x" })).toEqual({});
});

test("only a place that is called so begins with the contact's name", () => {
  const begun = (text: string) => {
    const template = { id: "1", name: "x", language: "en", category: "MARKETING", content: text, components: [{ type: "BODY", text }] } as unknown as Template;
    const fields = fieldsOf(template);
    const filled = initial(template, fields);
    return fields.map(({ id }) => filled[id]);
  };
  expect(begun("Only this week: {{1}} percent off.")).toEqual([{ source: "text", key: "", fallback: "" }]);
  expect(begun("Hi {{first_name}}, {{percent}} off.")).toMatchObject([{ source: "name" }, { source: "text", key: "" }]);
});

test("a time of a zone has 24 hours", () => {
  expect(inZone("2026-03-01T15:04:00Z", "Asia/Jakarta", "en")).toBe("Sunday, March 1, 2026 at 22:04");
});
