import { Link } from "@tanstack/react-router";

/** An id that leads to its story. */
export function StoryLink({ id }: { id: string }) {
  return (
    <Link to="/dev/find" search={{ id }} className="mono" activeProps={{}}>
      {id}
    </Link>
  );
}
