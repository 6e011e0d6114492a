import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { address, get, idempotencyKey, send } from "../api/client";
import type { Handset } from "../api/types";

/** A message as the phone shows it. */
export interface PhoneMessage {
  id: string;
  from: "me" | "business";
  type: string;
  created_at: string;
  ticks: "delivered" | "read" | null;
  unread: boolean;
  header: string;
  text: string;
  footer: string;
  template: string | null;
  /** What the button says that opens a list; the rows are among the buttons. */
  list: string | null;
  file?: PhoneFile;
  location?: Place;
  contacts: string[];
  buttons: PhoneButton[];
  quoted?: { id: string; from: "me" | "business"; type: string; text: string };
  reactions: { emoji: string; from: "me" | "business" }[];
}

export interface PhoneFile {
  /** Null: the business has sent a link. */
  id: string | null;
  link: string | null;
  mime_type: string;
  filename: string;
  size: number;
  voice: boolean;
}

export interface PhoneButton {
  kind: "reply" | "row" | "url" | "phone" | "copy" | "other";
  id: string;
  title: string;
  description: string;
  section: string;
  url: string;
}

export interface Place {
  latitude: number;
  longitude: number;
  name: string;
  address: string;
}

/** What a phone can send. */
export interface Writing {
  type: "text" | "image" | "audio" | "document" | "location" | "reaction" | "button" | "list" | "stop" | "resume";
  text?: string;
  file?: { mime_type: string; filename: string; data: string };
  location?: Omit<Place, "address"> & { address?: string };
  message_id?: string;
  emoji?: string;
  button_id?: string;
  quote?: string;
}

export const handsetsQuery = queryOptions({
  queryKey: ["phone", "handsets"],
  queryFn: () => get<Handset[]>("/phone/handsets"),
});

export function chatQuery(handset: string, number: string) {
  return queryOptions({
    queryKey: ["phone", "chat", handset, number],
    queryFn: () => get<PhoneMessage[]>(`/phone/handsets/${handset}/messages`, { query: { number } }),
  });
}

/** The address of a file's content. */
export function fileAddress(id: string): string {
  return address(`/phone/files/${id}`);
}

function useRefetch() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ["phone"] });
}

export function useWrite(handset: string, number: string) {
  const refetch = useRefetch();
  return useMutation({
    mutationFn: (writing: Writing) =>
      send<{ id: string }>("POST", `/phone/handsets/${handset}/messages`, { number, ...writing }, { idempotencyKey: idempotencyKey() }),
    onSettled: refetch,
  });
}

export function useRead(handset: string, number: string) {
  const refetch = useRefetch();
  return useMutation({
    mutationFn: () => send<unknown>("POST", `/phone/handsets/${handset}/read`, { number }),
    onSuccess: refetch,
  });
}

export function useChangeHandset(id: string) {
  const refetch = useRefetch();
  return useMutation({
    mutationFn: (change: { online?: boolean; blocked?: boolean }) => send<Handset>("PATCH", `/phone/handsets/${id}`, change),
    onSettled: refetch,
  });
}

export function useAddHandset() {
  const refetch = useRefetch();
  return useMutation({
    mutationFn: (handset: { name: string; phone_number: string }) => send<Handset>("POST", "/phone/handsets", handset),
    onSuccess: refetch,
  });
}
