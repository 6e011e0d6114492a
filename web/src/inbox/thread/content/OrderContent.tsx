import { useLanguage, useText } from "../../../i18n";
import { FormattedText } from "../../text/FormattedText";
import type { Order } from "./shapes";
import styles from "./Card.module.css";

/** What somebody ordered from the catalogue. */
export function OrderContent({ order }: { order: Order }) {
  const t = useText("inbox");
  const language = useLanguage();
  const money = (amount: number, currency: string) => {
    try {
      return new Intl.NumberFormat(language, { style: "currency", currency }).format(amount);
    } catch {
      return `${amount} ${currency}`;
    }
  };
  const items = order.product_items ?? [];
  const total = items.reduce((sum, i) => sum + (i.quantity ?? 0) * (i.item_price ?? 0), 0);
  return (
    <div className={styles.order}>
      <b>{t.order(items.length)}</b>
      <table>
        <tbody>
          {items.map((item, i) => (
            <tr key={i}>
              <td>
                {item.quantity} × {item.product_retailer_id}
              </td>
              <td>{money((item.quantity ?? 0) * (item.item_price ?? 0), item.currency ?? "")}</td>
            </tr>
          ))}
          <tr>
            <td>
              <b>{t.total}</b>
            </td>
            <td>
              <b>{money(total, items[0]?.currency ?? "")}</b>
            </td>
          </tr>
        </tbody>
      </table>
      {order.text && <FormattedText text={order.text} />}
    </div>
  );
}
