// Every method of @kapso/whatsapp-cloud-api that the simulator answers. Flows and telephone calls are not
// simulated, and neither are the additions of its makers' own proxy, which are not part of the upstream.

import { WhatsAppClient, buildTemplateSendPayload } from "@kapso/whatsapp-cloud-api";
import { normalizeWebhook, verifySignature } from "@kapso/whatsapp-cloud-api/server";

export const client = "@kapso/whatsapp-cloud-api";

export function calls({ fetch, origin, number, waba, fresh, person, wrote }) {
  const { messages, media, templates, phoneNumbers } = new WhatsAppClient({ accessToken: "any", baseUrl: origin, graphVersion: "v24.0", fetch });
  const to = { phoneNumberId: number, to: person };
  const link = "https://files.example.test/a";
  const bodyText = "Which one?";
  const file = { phoneNumberId: number, type: "image/png", file: new Blob(["content"], { type: "image/png" }), fileName: "a.png" };
  const list = { buttonText: "Show", sections: [{ title: "All", rows: [{ id: "a", title: "One", description: "The first" }] }] };
  const card = (cardIndex) => ({
    cardIndex, header: { type: "image", image: { link: link + ".jpg" } }, bodyText: "A card", action: { displayText: "Open", url: "https://example.test" },
  });
  const parameter = (text) => ({ type: "text", text });
  let image, template;
  return {
    "messages.sendText": () => messages.sendText({ ...to, body: "Hello https://example.test", previewUrl: true }),
    "messages.sendText in reply": () => messages.sendText({ ...to, body: "Yes", contextMessageId: wrote.id, bizOpaqueCallbackData: '{"order": 7}' }),
    "messages.sendText to a user id": () => messages.sendText({ phoneNumberId: number, recipient: wrote.user, body: "Hello" }),
    "media.upload": async () => (image = (await media.upload(file)).id),
    "messages.sendImage by id": () => messages.sendImage({ ...to, image: { id: image, caption: "A caption" } }),
    "messages.sendImage by link": () => messages.sendImage({ ...to, image: { link: link + ".png" } }),
    "messages.sendVideo": () => messages.sendVideo({ ...to, video: { link: link + ".mp4", caption: "A caption" } }),
    "messages.sendAudio": () => messages.sendAudio({ ...to, audio: { link: link + ".ogg" } }),
    "messages.sendDocument": () => messages.sendDocument({ ...to, document: { link: link + ".pdf", filename: "a.pdf", caption: "A caption" } }),
    "messages.sendSticker": () => messages.sendSticker({ ...to, sticker: { link: link + ".webp" } }),
    "messages.sendLocation": () => messages.sendLocation({ ...to, location: { latitude: 48.1371, longitude: 11.5754, name: "Shop", address: "Street 1" } }),
    "messages.sendContacts": () => messages.sendContacts({ ...to, contacts: [{ name: { formattedName: "Ada L", firstName: "Ada" }, phones: [{ phone: "+4915510000002", type: "WORK" }] }] }),
    "messages.sendReaction": () => messages.sendReaction({ ...to, reaction: { messageId: wrote.id, emoji: "👍" } }),
    "messages.sendInteractiveButtons": () => messages.sendInteractiveButtons({ ...to, bodyText, footerText: "Thanks", buttons: [{ id: "a", title: "One" }] }),
    "messages.sendInteractiveList": () => messages.sendInteractiveList({ ...to, bodyText, ...list }),
    "messages.sendInteractiveProduct": () => messages.sendInteractiveProduct({ ...to, bodyText, catalogId: "77", productRetailerId: "sku-1" }),
    "messages.sendInteractiveProductList": () =>
      messages.sendInteractiveProductList({ ...to, bodyText, header: { type: "text", text: "Pick" }, catalogId: "77", sections: [{ title: "All", productItems: [{ productRetailerId: "sku-1" }] }] }),
    "messages.sendInteractiveFlow": () => messages.sendInteractiveFlow({ ...to, bodyText, parameters: { flowId: "123", flowCta: "Open", flowToken: "token" } }),
    "messages.sendInteractiveAddress": () => messages.sendInteractiveAddress({ ...to, bodyText, parameters: { country: "IN" } }),
    "messages.sendInteractiveLocationRequest": () => messages.sendInteractiveLocationRequest({ ...to, bodyText, parameters: { requestMessage: "Where?" } }),
    "messages.sendInteractiveCallPermission": () => messages.sendInteractiveCallPermission({ ...to, bodyText, parameters: { phoneNumber: "+4930555000" } }),
    "messages.sendInteractiveCtaUrl": () => messages.sendInteractiveCtaUrl({ ...to, bodyText, parameters: { displayText: "Open", url: "https://example.test" } }),
    "messages.sendInteractiveCarousel": () => messages.sendInteractiveCarousel({ ...to, bodyText, cards: [card(0), card(1)] }),
    "messages.sendInteractiveCatalogMessage": () => messages.sendInteractiveCatalogMessage({ ...to, bodyText, parameters: { thumbnailProductRetailerId: "sku-1" } }),
    "messages.sendInteractiveRaw": () =>
      messages.sendInteractiveRaw({ ...to, interactive: { type: "button", body: { text: bodyText }, action: { buttons: [{ type: "reply", reply: { id: "a", title: "One" } }] } } }),
    "messages.sendTemplate": () => messages.sendTemplate({ ...to, template: { name: "hello_world", language: { code: "en_US" } } }),
    "messages.sendTemplate with values": () =>
      messages.sendTemplate({
        ...to,
        template: buildTemplateSendPayload({
          name: "promo", language: "en_US", body: [parameter("Ada")],
          buttons: [
            { type: "button", subType: "quick_reply", index: 0, parameters: [{ type: "payload", payload: "STOP" }] },
            { type: "button", subType: "url", index: 1, parameters: [parameter("sale")] },
          ],
        }),
      }),
    "messages.sendRaw": () => messages.sendRaw({ phoneNumberId: number, payload: { messaging_product: "whatsapp", to: person, type: "text", text: { body: "Hello" } } }),
    "messages.markRead": () => messages.markRead({ phoneNumberId: number, messageId: wrote.id }),
    "messages.markRead typing": () => messages.markRead({ phoneNumberId: number, messageId: wrote.id, typingIndicator: { type: "text" } }),
    "media.get": () => media.get({ mediaId: image, phoneNumberId: number }),
    "media.download": () => media.download({ mediaId: image, auth: "always" }),
    "media.delete": () => media.delete({ mediaId: image, phoneNumberId: number }),
    "templates.list": () => templates.list({ businessAccountId: waba, limit: 2, status: "APPROVED" }),
    "templates.create": async () =>
      (template = await templates.create({
        businessAccountId: waba, name: "instant_thanks", language: "en_US", category: "UTILITY", parameterFormat: "NAMED",
        components: [{ type: "BODY", text: "Thank you, {{first_name}}, all is well.", example: { bodyTextNamedParams: [{ paramName: "first_name", example: "Ada" }] } }],
      })),
    "templates.get refused as upstream": () => templates.get({ businessAccountId: waba, templateId: template.id }),
    "templates.delete": () => templates.delete({ businessAccountId: waba, name: "instant_thanks" }),
    "phoneNumbers.requestCode": () => phoneNumbers.requestCode({ phoneNumberId: fresh, codeMethod: "SMS", language: "en_US" }),
    "phoneNumbers.verifyCode": () => phoneNumbers.verifyCode({ phoneNumberId: fresh, code: "123456" }),
    "phoneNumbers.register": () => phoneNumbers.register({ phoneNumberId: fresh, pin: "000111", dataLocalizationRegion: "DE" }),
    "phoneNumbers.deregister": () => phoneNumbers.deregister({ phoneNumberId: fresh }),
    "phoneNumbers.businessProfile.update": () =>
      phoneNumbers.businessProfile.update({ phoneNumberId: number, about: "My shop", email: "shop@example.test", websites: ["https://example.test"], vertical: "RETAIL" }),
    "phoneNumbers.businessProfile.get": () => phoneNumbers.businessProfile.get({ phoneNumberId: number, fields: "about,email,websites,vertical" }),
  };
}

// callbacks counts the events that the client reads from the simulator's callbacks.
export async function callbacks(received, { secret }) {
  const counts = { messages: 0, statuses: 0 };
  for (const { body, signature } of received) {
    if (!verifySignature({ appSecret: secret, rawBody: body, signatureHeader: signature })) throw new Error("the signature is wrong");
    const events = normalizeWebhook(JSON.parse(body));
    counts.messages += events.messages.length;
    counts.statuses += events.statuses.length;
  }
  return counts;
}
