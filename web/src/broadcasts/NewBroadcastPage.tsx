import { Frame } from "./Frame";
import { useBroadcasts } from "./text";
import { Wizard } from "./Wizard";

export default function NewBroadcastPage() {
  const t = useBroadcasts();
  return (
    <Frame title={t.add} back>
      <Wizard step={1} />
    </Frame>
  );
}
