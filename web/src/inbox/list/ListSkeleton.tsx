import { Skeleton } from "@mantine/core";
import { Later } from "../../ui/Later";
import styles from "./ListSkeleton.module.css";

export function ListSkeleton() {
  return (
    <Later>
      {Array.from({ length: 9 }, (_, i) => (
        <div key={i} className={styles.row}>
          <Skeleton circle height={40} />
          <div>
            <Skeleton height={12} width="50%" mt={4} />
            <Skeleton height={10} width="85%" mt={10} />
          </div>
        </div>
      ))}
    </Later>
  );
}
