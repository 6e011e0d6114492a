import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, type ChangeEvent, type FormEvent } from "react";
import { ApiError } from "../api/client";
import { messageOf } from "./messages";

/**
 * A form that sends: its errors go to the field that the server names, the rest to the whole form, and the
 * first field in error gets the focus.
 */
export function useSubmit<Result>(fields: string[], run: () => Promise<Result>, done: (result: Result) => void) {
  const ref = useRef<HTMLFormElement>(null);
  // A second press can come before the first one is drawn.
  const running = useRef(false);
  const { mutate, isPending, error } = useMutation({
    mutationFn: run,
    onSuccess: done,
    onSettled: () => {
      running.current = false;
    },
  });
  const param = error instanceof ApiError && error.param && fields.includes(error.param) ? error.param : undefined;
  useEffect(() => {
    if (error) ref.current?.querySelector<HTMLElement>("[aria-invalid=true], [role=alert]")?.focus();
  }, [error]);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    if (running.current) return;
    running.current = true;
    mutate();
  };
  const errorOf = (field: string) => (error && field === param ? messageOf(error) : undefined);
  return {
    form: { ref, onSubmit },
    busy: isPending,
    error: error && !param ? error : undefined,
    errorOf,
    /** The props of a text field: its value, its error, and how it changes. */
    field: (name: string, value: string, change: (value: string) => void) => ({
      value,
      error: errorOf(name),
      onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => change(event.target.value),
    }),
  };
}
