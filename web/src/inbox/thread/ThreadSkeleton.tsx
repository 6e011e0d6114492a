import { Skeleton } from "@mantine/core";
import { Later } from "../../ui/Later";
import styles from "./ThreadSkeleton.module.css";

const widths = [220, 300, 160, 260, 340];

export function ThreadSkeleton() {
  return (
    <Later>
      <div className={styles.thread}>
        {widths.map((width, i) => (
          <Skeleton key={width} height={38} width={width} radius={12} className={i % 2 ? styles.out : undefined} />
        ))}
      </div>
    </Later>
  );
}
