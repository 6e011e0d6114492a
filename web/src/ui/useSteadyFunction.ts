import { useCallback, useLayoutEffect, useRef } from "react";

/** A function that stays the same and does what the latest one does, so that nothing is drawn again because of it. */
export function useSteadyFunction<A extends unknown[], R>(latest: (...given: A) => R): (...given: A) => R {
  const current = useRef(latest);
  useLayoutEffect(() => {
    current.current = latest;
  });
  return useCallback((...given: A) => current.current(...given), []);
}
