// Every method of whatsapp-api-js that the simulator answers. Telephone calls are not simulated.

import { WhatsAppAPI } from "whatsapp-api-js";
import * as m from "whatsapp-api-js/messages";

export const client = "whatsapp-api-js";

export function calls({ fetch, number, person, secret, wrote }) {
  const api = new WhatsAppAPI({ token: "any", appSecret: secret, v: "v24.0", ponyfill: { fetch } });
  const to = { phone: person };
  const link = "https://files.example.test/a";
  const send = (message, ...rest) => api.sendMessage(number, to, message, ...rest);
  const interactive = (action, ...rest) => send(new m.Interactive(action, new m.Body("Which one?"), ...rest));
  const product = new m.Product("sku-1");
  let sent, image;
  return {
    "sendMessage Text": async () => (sent = (await send(new m.Text("Hello https://example.test", true))).messages[0].id),
    "sendMessage in reply": () => send(new m.Text("Yes"), wrote.id, '{"order": 7}'),
    "sendMessage to a user id": () => api.sendMessage(number, { bsuid: wrote.user }, new m.Text("Hello")),
    uploadMedia: async () => (image = (await api.uploadMedia(number, file("a.png", "image/png"))).id),
    "sendMessage Image by id": () => send(new m.Image(image, true, "A caption")),
    "sendMessage Image by link": () => send(new m.Image(link + ".png")),
    "sendMessage Video": () => send(new m.Video(link + ".mp4", false, "A caption")),
    "sendMessage Audio": () => send(new m.Audio(link + ".ogg", false, true)),
    "sendMessage Document": () => send(new m.Document(link + ".pdf", false, "A caption", "a.pdf")),
    "sendMessage Sticker": () => send(new m.Sticker(link + ".webp")),
    "sendMessage Location": () => send(new m.Location(11.5754, 48.1371, "Shop", "Street 1")),
    "sendMessage Contacts": () =>
      send(new m.Contacts([new m.Name("Ada L", "Ada"), new m.Phone("+4915510000002", "WORK", "4915510000002"), new m.Email("a@example.test"), new m.Birthday("1990", "01", "31")])),
    "sendMessage Reaction": () => send(new m.Reaction(wrote.id, "👍")),
    "sendMessage Reaction removed": () => send(new m.Reaction(wrote.id)),
    "sendMessage Interactive buttons": () => interactive(new m.ActionButtons(new m.Button("a", "One"), new m.Button("b", "Two")), new m.Header("Pick"), new m.Footer("Thanks")),
    "sendMessage Interactive list": () => interactive(new m.ActionList("Show", new m.ListSection("All", new m.Row("a", "One", "The first"), new m.Row("b", "Two")))),
    "sendMessage Interactive URL": () => interactive(new m.ActionCTA("Open", "https://example.test")),
    "sendMessage Interactive location": () => interactive(new m.ActionLocation()),
    "sendMessage Interactive contact": () => interactive(new m.ActionContactRequest()),
    "sendMessage Interactive call": () => interactive(new m.ActionCallPermission()),
    "sendMessage Interactive catalog": () => interactive(new m.ActionCatalog(product)),
    "sendMessage Interactive products": () => interactive(new m.ActionProductList("77", new m.ProductSection("All", product)), new m.Header("Pick")),
    "sendMessage Interactive flow": () => interactive(new m.ActionNavigateFlow("token", "123", "Open", "START")),
    "sendMessage Template": () => send(new m.Template("hello_world", "en_US")),
    "sendMessage Template with values": () => send(new m.Template("order_update", new m.Language("de"), new m.BodyComponent(new m.BodyParameter("Ada"), new m.BodyParameter("A-17")))),
    "sendMessage Template with names": () =>
      send(new m.Template("appointment_reminder", "en_US", new m.BodyComponent(new m.BodyParameter("Ada", "first_name"), new m.BodyParameter("Monday", "day")))),
    "sendMessage Template with buttons": () =>
      send(new m.Template("promo", "en_US", new m.BodyComponent(new m.BodyParameter("Ada")), new m.PayloadComponent("STOP"), new m.URLComponent("sale"))),
    "sendMessage Template with an image": () => send(new m.Template("new_arrivals", "en_US", new m.HeaderComponent(new m.HeaderParameter(new m.Image(image, true))))),
    "sendMessage Template with a code": () => send(new m.Template("login_code", "en_US", new m.BodyComponent(new m.BodyParameter("418002")), new m.URLComponent("418002"))),
    "sendMessage Template carousel": () => {
      const card = () => new m.CarouselCard(new m.Image(image, true), new m.BodyComponent(new m.BodyParameter("x")), new m.PayloadComponent("p"), new m.URLComponent("sku"));
      return send(new m.Template("summer_carousel", "en_US", new m.BodyComponent(new m.BodyParameter("Ada")), new m.CarouselComponent(card(), card())));
    },
    broadcastMessage: () => Promise.all(api.broadcastMessage(number, [to, to], new m.Text("Hello all"), 50, 0)),
    markAsRead: () => api.markAsRead(number, wrote.id),
    "markAsRead typing": () => api.markAsRead(number, wrote.id, "text"),
    retrieveMedia: () => api.retrieveMedia(image, number),
    fetchMedia: async () => api.fetchMedia((await api.retrieveMedia(image)).url),
    deleteMedia: () => api.deleteMedia(image, number),
  };
}

function file(name, type) {
  const form = new FormData();
  form.set("file", new Blob(["content"], { type }), name);
  return form;
}

// callbacks counts the events that the client reads from the simulator's callbacks.
export async function callbacks(received, { secret }) {
  const counts = { messages: 0, statuses: 0 };
  const api = new WhatsAppAPI({ token: "any", appSecret: secret, v: "v24.0" });
  api.on.message = () => void counts.messages++;
  api.on.status = () => void counts.statuses++;
  for (const { body, signature } of received) {
    const { field } = JSON.parse(body).entry[0].changes[0];
    if (field === "messages") await api.post(JSON.parse(body), body, signature);
  }
  return counts;
}
