export { auth } from "./auth";
export { common } from "./common";
export { inbox } from "./inbox";
export { phone } from "./phone";
export { settings } from "./settings";
export { shell } from "./shell";
