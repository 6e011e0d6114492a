// Only the browser knows the visitor's time zone. Without this script the page shows UTC, and says so.
for (const time of document.querySelectorAll("time")) {
  const page = document.documentElement.lang, own = navigator.language;
  const locale = own.split("-")[0] === page ? own : page;
  const at = new Date(time.dateTime);
  const day = at.toLocaleDateString(locale, { weekday: "long", day: "numeric", month: "long" });
  const clock = at.toLocaleTimeString(locale, { timeStyle: "short" });
  time.textContent = `${day}, ${clock}`;
}
