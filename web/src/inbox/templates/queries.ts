import { queryOptions } from "@tanstack/react-query";
import { all } from "../../api/client";
import type { Template } from "./template";

export const templatesQuery = (number: string) =>
  queryOptions({
    queryKey: ["templates", number],
    queryFn: () => all<Template>(`/${number}/templates`, { query: { limit: 100 } }),
  });
