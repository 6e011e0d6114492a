import { expect, it } from "vitest";
import { labelNames } from "./labelNames";

it("tells labels of one name apart by their teams", () => {
  const label = (id: string, name: string, team_id: string) => ({ id, name, team_id, color: "red" as const, created_at: "", updated_at: "" });
  const labels = [label("1", "VIP", "a"), label("2", "VIP", "b"), label("3", "Refund", "b")];
  const teams = [{ id: "a", name: "Sales" }, { id: "b", name: "Care" }];
  expect([...labelNames(labels, teams).values()]).toEqual(["VIP · Sales", "VIP · Care", "Refund"]);
});
