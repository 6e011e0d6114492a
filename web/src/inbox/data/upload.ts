import { address, ApiError, toLogin } from "../../api/client";
import { text } from "../../i18n";

interface Answer {
  data?: { id?: string };
  error?: { code?: string; message?: string };
  request_id?: string;
}

/** Where a file goes: into the library, where it is found again, or along with one message. */
type Place = "media" | "attachments";

/** A line on which nothing of a file has moved for so long is dead. */
const stall = 60_000;

/** Stores a file. XMLHttpRequest, because fetch does not say how far an upload is. */
export function uploadFile(
  number: string,
  file: File,
  key: string,
  place: Place,
  progress: (share: number) => void,
  signal?: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const end = () => request.abort();
    let dead: ReturnType<typeof setTimeout> | undefined;
    const moves = () => {
      clearTimeout(dead);
      dead = setTimeout(end, stall);
    };
    signal?.addEventListener("abort", end);
    request.open("POST", address(`/${number}/${place}`));
    request.setRequestHeader("Idempotency-Key", key);
    request.responseType = "json";
    request.upload.onprogress = (event) => {
      moves();
      if (event.lengthComputable) progress(event.loaded / event.total);
    };
    request.onabort = () => reject(offline());
    request.onerror = () => void isReadable(file).then((there) => reject(there ? offline() : unreadable()));
    request.onloadend = () => {
      clearTimeout(dead);
      signal?.removeEventListener("abort", end);
    };
    request.onload = () => {
      const answer = request.response as Answer | null;
      if (request.status === 401) toLogin();
      if (request.status < 300 && answer?.data?.id) resolve(answer.data.id);
      else reject(errorOf(request.status, answer));
    };
    const form = new FormData();
    form.append("file", file, file.name);
    request.send(form);
    moves();
  });
}

const offline = () => new ApiError(0, "offline", "The server cannot be reached.");
const unreadable = () => new ApiError(400, "file_unreadable", text("inbox").fileUnreadable);

/** A request also ends like this when the file was changed or removed since it was chosen, or is a folder. */
const isReadable = (file: File): Promise<boolean> => file.slice(0, 1).arrayBuffer().then(() => true, () => false);

function errorOf(status: number, answer: Answer | null): ApiError {
  const { code, message } = answer?.error ?? {};
  return new ApiError(
    status,
    code ?? `http_${status}`,
    message ?? `The server answered with status ${status}.`,
    answer?.request_id,
  );
}
