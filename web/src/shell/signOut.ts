import { send } from "../api/client";
import { toastError } from "../ui/toasts";

/** Ends this session. The page is loaded anew, so that nothing of the person stays in memory. */
export async function signOut(): Promise<void> {
  try {
    await send("DELETE", "/session");
    location.assign("/login");
  } catch (error) {
    toastError(error);
  }
}

export async function signOutEverywhere(): Promise<void> {
  try {
    await send("DELETE", "/me/sessions");
    await signOut();
  } catch (error) {
    toastError(error);
  }
}
