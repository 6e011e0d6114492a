import type { EndpointDialog } from "./EndpointActions";
import type { Endpoint } from "./data";
import { DeleteEndpoint } from "./DeleteEndpoint";
import { EndpointForm } from "./EndpointForm";
import { ReplayMany } from "./ReplayMany";
import { Secrets } from "./Secrets";
import { SendTest } from "./SendTest";

export function EndpointDialogs(props: {
  dialog: EndpointDialog | undefined;
  endpoint: Endpoint;
  close: () => void;
  show: (delivery: string) => void;
  gone: () => void;
}) {
  const { endpoint, close } = props;
  switch (props.dialog) {
    case "test":
      return <SendTest endpoint={endpoint} close={close} show={props.show} />;
    case "secrets":
      return <Secrets endpoint={endpoint} close={close} />;
    case "replay":
      return <ReplayMany endpoint={endpoint} close={close} />;
    case "edit":
      return <EndpointForm endpoint={endpoint} close={close} done={close} />;
    case "delete":
      return <DeleteEndpoint endpoint={endpoint} close={close} gone={props.gone} />;
    case undefined:
      return null;
  }
}
